/** The script that lets analysts read, run as mongosh would run it, on a database that notes what is asked of it. */

import { createContext, runInContext } from 'node:vm'
import { expect, test } from 'vitest'
import { allProjections } from '../../src/projections/allProjections.ts'
import { analystCollections } from '../../src/projections/operations/analystCollections.ts'
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
}

function run({ state, password, roles = new Map(), users = new Map() }: Run) {
  const said: string[] = []
  const vigil = {
    getName: () => 'vigil',
    getCollection: (name: string) => ({
      findOne: () => (name === 'read_models' ? (state ?? null) : null),
    }),
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
  return { roles, users, role, readable, said, script }
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
  const again = run({ ...first, state: { generations: { evaluations_v6: 3, flows_v3: 1 } } })

  expect(again.readable).toContain('evaluations_v6_r3')
  expect(again.readable).not.toContain('evaluations_v6')
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
