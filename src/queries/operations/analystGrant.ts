/** Generates the mongosh script that lets analysts read their collections, and nothing else. */

import { planCollection, planPartCollection } from '../../projections/evaluation/plans.ts'
import {
  accountCollections,
  analystCollections,
} from '../../projections/operations/analystCollections.ts'
import { collectionKey, stateCollection } from '../../stores/mongodb/readModelState.ts'

export interface AnalystGrant {
  readonly database: string
  readonly role: string
  readonly user: string
  /** The only account whose documents may be read, through views of them. */
  readonly account?: string | undefined
}

/**
 * A script for mongosh, to be run by an administrator of roles. Run again it updates the role, and makes nothing twice.
 * It holds no password: the user is made with the one in VIGIL_ANALYST_PASSWORD where mongosh runs.
 */
export function buildAnalystGrantScript({ database, role, user, account }: AnalystGrant): string {
  const granted = account === undefined ? grantedCollections() : grantedViews(account)
  return `// Lets analysts read the read models of Vigil that docs/guide/read-models.md describes. Run it again after an upgrade:
//   VIGIL_ANALYST_PASSWORD=... mongosh "$ADMIN_URL" --quiet --file THIS_FILE
const vigil = db.getSiblingDB(${quoted(database)})
const [role, user] = [${quoted(role)}, ${quoted(user)}]

// a collection that was dropped and built again has _r2 and so on behind its name
const state = vigil.getCollection(${quoted(stateCollection)}).findOne() ?? {}
const made = (name) => state.generations?.[name] ?? 1
const nameNow = (name) => (made(name) === 1 ? name : name + '_r' + made(name))
${granted}
const privileges = readable.map((collection) => ({ resource: { db: ${quoted(database)}, collection }, actions }))

if (vigil.getRole(role)) vigil.updateRole(role, { privileges, roles: [] })
else vigil.createRole({ role, privileges, roles: [] })
print('The role ' + role + ' may read ' + names.length + ${quoted(account === undefined ? ' collections of ' : ' views in ')} + vigil.getName() + '.')

const pwd = process.env.VIGIL_ANALYST_PASSWORD
if (vigil.getUser(user)) vigil.grantRolesToUser(user, [role])
else if (pwd) vigil.createUser({ user, pwd, roles: [role] })
else print('There is no user ' + user + ' yet: run this again with VIGIL_ANALYST_PASSWORD set.')
`
}

const quoted = (value: unknown): string => JSON.stringify(value)

/** Declares the names of all collections, and of their state, as what may be read. */
function grantedCollections(): string {
  return `
const names = [
${analystCollections.map((one) => `  ${quoted(collectionKey(one))},`).join('\n')}
].map(nameNow)
const readable = [...names, ${quoted(stateCollection)}]
const actions = ['find', 'listIndexes']`
}

/** Makes a view of each collection, with the documents of the account, and declares the views as what may be read. */
function grantedViews(account: string): string {
  const views = accountCollections.map(
    (one) => `  [${quoted(`${account}_${one.name}`)}, ${quoted(collectionKey(one))}],`,
  )
  return `
const views = [
${views.join('\n')}
]
const own = { $match: { account: ${quoted(account)}, _deleted: { $exists: false } } }
// the rules of other accounts' plans stand in the same collection: a plan has its own with it
const withRules = [
  { $addFields: { part_ids: { $reduce: { input: '$recipes', initialValue: [], in: { $concatArrays: ['$$value',
    { $map: { input: '$$this.parts', as: 'part', in: { $arrayElemAt: ['$$part', 0] } } }] } } } } },
  { $lookup: { from: nameNow(${quoted(collectionKey(planPartCollection))}), localField: 'part_ids', foreignField: '_id', as: 'plan_parts' } },
  { $unset: 'part_ids' },
]
for (const [view, collection] of views) {
  const stages = collection === ${quoted(collectionKey(planCollection))} ? [own, ...withRules] : [own]
  vigil.getCollection(view).drop()
  vigil.createView(view, nameNow(collection), stages)
}
const names = views.map(([view]) => view)
const readable = names
const actions = ['find']`
}
