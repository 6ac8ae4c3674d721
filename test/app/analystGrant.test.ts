/** The script that lets analysts read, run as mongosh would run it, on a database that notes what is asked of it. */

import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { allProjections } from '../../src/projections/allProjections.ts'
import { evaluationCollection } from '../../src/projections/evaluation/evaluations.ts'
import { planPartCollection } from '../../src/projections/evaluation/plans.ts'
import {
  accountCollections,
  analystCollections,
} from '../../src/projections/operations/analystCollections.ts'
import { buildAnalystGrantScript } from '../../src/queries/operations/analystGrant.ts'
import { collectionKey } from '../../src/stores/mongodb/readModelState.ts'

interface Role {
  readonly privileges: readonly {
    readonly resource: { readonly db: string; readonly collection: string }
    readonly actions: readonly string[]
  }[]
  readonly roles: readonly unknown[]
}

interface Run {
  readonly state?: object
  readonly password?: string
  readonly roles?: Map<string, Role>
  readonly users?: Map<string, unknown>
  readonly views?: Map<string, View>
  readonly account?: string
}

interface View {
  readonly of: string
  readonly pipeline: readonly object[]
}

function run({
  state,
  password,
  roles = new Map(),
  users = new Map(),
  views = new Map(),
  account,
}: Run) {
  const said: string[] = []
  const vigil = {
    getName: () => 'vigil',
    getCollection: (name: string) => ({
      findOne: () => (name === 'read_models' ? (state ?? null) : null),
      drop: () => views.delete(name),
    }),
    createView: (name: string, of: string, pipeline: readonly object[]) => {
      if (views.has(name)) throw new Error('exists')
      views.set(name, { of, pipeline })
    },
    getRole: (name: string) => roles.get(name) ?? null,
    createRole: ({ role, ...what }: Role & { readonly role: string }) => {
      if (roles.has(role)) throw new Error('exists')
      roles.set(role, what)
    },
    updateRole: (name: string, what: Role) => roles.set(name, what),
    getUser: (name: string) => users.get(name) ?? null,
    createUser: ({ user, ...what }: { readonly user: string }) => users.set(user, what),
    grantRolesToUser: (name: string, granted: readonly string[]) => users.set(name, { granted }),
  }
  const script = buildAnalystGrantScript({
    database: 'vigil',
    role: 'vigil_analyst',
    user: 'analyst',
    account,
  })
  runInContext(
    script,
    createContext({
      db: { getSiblingDB: (name: string) => (name === 'vigil' ? vigil : undefined) },
      process: { env: password === undefined ? {} : { VIGIL_ANALYST_PASSWORD: password } },
      print: (line: string) => said.push(line),
    }),
  )
  const role = roles.get('vigil_analyst')
  const readable = role?.privileges.map(({ resource }) => resource.collection) ?? []
  return { roles, users, views, role, readable, said, script }
}

test('the role reads the collections for analysts and their state, and does nothing else', () => {
  const { role, readable } = run({})

  expect(readable.toSorted()).toEqual(
    [...analystCollections.map(collectionKey), 'read_models'].toSorted(),
  )
  expect(role?.roles).toEqual([])
  for (const { resource, actions } of role?.privileges ?? []) {
    expect(resource.db).toBe('vigil')
    expect(actions).toEqual(['find', 'listIndexes'])
  }
})

test('what is not for analysts is not among them', () => {
  const { script } = run({})
  const allowed = new Set(analystCollections.map(({ name }) => name))
  const others = allProjections
    .flatMap((one) => one.collections)
    .filter(({ name }) => !allowed.has(name))

  expect(others.map(({ name }) => name)).toContain('subject_keys')
  for (const { name } of others) expect(script).not.toContain(name)
})

test('run again it follows a collection that was built anew, and makes nothing twice', () => {
  const first = run({ password: 'secret' })
  const again = run({ ...first, state: { generations: { evaluations_v8: 3, flows_v3: 1 } } })

  expect(again.readable).toContain('evaluations_v8_r3')
  expect(again.readable).not.toContain('evaluations_v8')
  expect(again.readable).toContain('flows_v3')
  expect(again.users.get('analyst')).toEqual({ granted: ['vigil_analyst'] })
})

test('the user is made with the password of whoever runs it, which the script does not hold', () => {
  const without = run({})
  expect(without.users.size).toBe(0)
  expect(without.said.join()).toContain('VIGIL_ANALYST_PASSWORD')

  const made = run({ password: 'secret' })

  expect(made.users.get('analyst')).toEqual({ pwd: 'secret', roles: ['vigil_analyst'] })
  expect(made.script).not.toContain('secret')
})

const account = 'acc_01jc0t6fwwfgfsq1md24mhyztj'

test('of one account the role reads views of its documents, and no collection', () => {
  const { role, readable, views } = run({ account })

  expect(readable.toSorted()).toEqual([...views.keys()].toSorted())
  expect(readable).toContain(`${account}_evaluations`)
  for (const name of readable) expect(name.startsWith(`${account}_`)).toBe(true)
  for (const { actions } of role?.privileges ?? []) expect(actions).toEqual(['find'])
  for (const { pipeline } of views.values()) {
    expect(pipeline[0]).toEqual({ $match: { account, _deleted: { $exists: false } } })
  }
  expect([...views.values()].map(({ of }) => of).toSorted()).toEqual(
    accountCollections.map(collectionKey).toSorted(),
  )
})

test('every collection whose documents name an account has a view, but those of the operator', () => {
  const named = analystCollections.filter(({ name, version }) => {
    const shapes = readFileSync(`test/projections/documents/${name}.v${version}.json`, 'utf8')
    return (JSON.parse(shapes) as readonly object[]).some((shape) => 'account' in shape)
  })

  const viewed = new Set(accountCollections.map(({ name }) => name))
  expect(named.map(({ name }) => name).filter((name) => !viewed.has(name))).toEqual([
    'managed_rules',
    'managed_recipes',
    'managed_uses',
  ])
  expect([...viewed].filter((name) => !named.some((one) => one.name === name))).toEqual([])
})

test('run again the views follow a collection that was built anew', () => {
  const first = run({ account })
  const [evaluations, parts] = [evaluationCollection, planPartCollection].map(collectionKey)
  const state = { generations: { [`${evaluations}`]: 3, [`${parts}`]: 2 } }

  const again = run({ ...first, account, state })

  expect(again.views.get(`${account}_evaluations`)?.of).toBe(`${evaluations}_r3`)
  expect(JSON.stringify(again.views.get(`${account}_plans`)?.pipeline)).toContain(`"${parts}_r2"`)
  expect(again.readable.toSorted()).toEqual(first.readable.toSorted())
})
