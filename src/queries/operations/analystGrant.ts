/** Generates the mongosh script that lets analysts read their collections, and nothing else. */

import { analystCollections } from '../../projections/operations/analystCollections.ts'
import { collectionKey, stateCollection } from '../../stores/mongodb/readModelState.ts'

export interface AnalystGrant {
  readonly database: string
  readonly role: string
  readonly user: string
}

/**
 * A script for mongosh, to be run by an administrator of roles. Run again it updates the role, and makes nothing twice.
 * It holds no password: the user is made with the one in VIGIL_ANALYST_PASSWORD where mongosh runs.
 */
export function buildAnalystGrantScript({ database, role, user }: AnalystGrant): string {
  const collections = analystCollections.map(collectionKey)
  const quoted = (value: unknown) => JSON.stringify(value)
  return `// Lets analysts read the read models of Vigil that docs/guide/read-models.md describes. Run it again after an upgrade:
//   VIGIL_ANALYST_PASSWORD=... mongosh "$ADMIN_URL" --quiet --file THIS_FILE
const vigil = db.getSiblingDB(${quoted(database)})
const [role, user] = [${quoted(role)}, ${quoted(user)}]
const collections = [
${collections.map((name) => `  ${quoted(name)},`).join('\n')}
]

// a collection that was dropped and built again has _r2 and so on behind its name
const state = vigil.getCollection(${quoted(stateCollection)}).findOne() ?? {}
const made = (name) => state.generations?.[name] ?? 1
const names = collections.map((name) => (made(name) === 1 ? name : name + '_r' + made(name)))
const privileges = [...names, ${quoted(stateCollection)}].map((collection) => ({
  resource: { db: ${quoted(database)}, collection },
  actions: ['find', 'listIndexes'],
}))

if (vigil.getRole(role)) vigil.updateRole(role, { privileges, roles: [] })
else vigil.createRole({ role, privileges, roles: [] })
print('The role ' + role + ' may read ' + names.length + ' collections of ' + vigil.getName() + '.')

const pwd = process.env.VIGIL_ANALYST_PASSWORD
if (vigil.getUser(user)) vigil.grantRolesToUser(user, [role])
else if (pwd) vigil.createUser({ user, pwd, roles: [role] })
else print('There is no user ' + user + ' yet: run this again with VIGIL_ANALYST_PASSWORD set.')
`
}
