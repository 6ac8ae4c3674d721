/**
 * What stands in both Compose files against what reads it; whether Compose itself understands them, `.ci/compose` and
 * `.ci/cluster` ask.
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { settingNames } from '../../src/config/settingReaders.ts'
import { readConfig } from '../../src/config.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { type ComposeService, readComposeFile, readComposeFiles } from './support/composeFile.ts'
import { environmentOf, readDockerfile } from './support/dockerfile.ts'

const secretsFolder = join(mkdtempSync(join(tmpdir(), 'vigil-compose-')), 'secrets')
afterAll(() => rmSync(dirname(secretsFolder), { recursive: true }))
const makeSecrets = () => {
  expect(spawnSync('sh', ['ops/makeSecrets.sh', secretsFolder]).status).toBe(0)
  return readdirSync(secretsFolder).map((name) => [name, read(join(secretsFolder, name))] as const)
}
const read = (file: string) => readFileSync(file, 'utf8')
const image = environmentOf(readDockerfile('Dockerfile'))
const secrets = makeSecrets()

/** What Vigil reads in the container, with the secrets where they are on this machine. */
const configOf = ({ environment = {} }: ComposeService = { image: '' }) =>
  readConfig({
    ...image,
    ...Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        value.replace('/run/secrets', secretsFolder),
      ]),
    ),
  })

const eventStore = { image: 'eventstore:', port: '2113' }
const databases = [
  ['eventStoreUrl', eventStore],
  ['mongoDbUrl', { image: 'mongo:', port: '27017' }],
] as const

const isVigil = ({ build }: ComposeService) => build !== undefined
const hostsOf = (url = '') => (/\/\/(?:[^@/]+@)?([^/?]+)/.exec(url)?.[1] ?? '').split(',')

describe.each([
  ['docker-compose.yml', ['vigil']],
  ['docker-compose.cluster.yml', ['api-1', 'api-2', 'projector-1', 'projector-2']],
])('%s', (file, vigils) => {
  const { services, volumes, secrets: made } = readComposeFile(file, {})
  const all = Object.entries(services)
  const own = all.filter(([, service]) => isVigil(service))

  test('names exact versions of images, each one version only', () => {
    const images = new Set(all.filter(([, one]) => !isVigil(one)).map(([, one]) => one.image))
    const names = [...images].map((one) => one.split(':')[0])

    for (const one of images) expect(one).toMatch(/^[\w./-]+:\d+\.\d+\.\d+(?:-[\w-]+)?$/)
    expect(new Set(names).size).toBe(names.length)
  })

  test('runs the instances it says', () => expect(own.map(([name]) => name)).toEqual(vigils))

  test('sets only what Vigil reads, without a mistake or a warning', () => {
    for (const [, { environment = {} }] of own) {
      expect(settingNames).toEqual(expect.arrayContaining(Object.keys(environment)))
      expect(configOf({ image: '', environment }).warnings).toEqual([])
    }
  })

  test.each(databases)(
    '%s names services of the file, on the port they have',
    (setting, database) => {
      for (const [, service] of own) {
        const asked = hostsOf(configOf(service)[setting]).map((host) => host.split(':'))
        expect(asked.map(([, port]) => port)).toEqual(asked.map(() => database.port))
        for (const [name = ''] of asked) expect(services[name]?.image).toContain(database.image)
      }
    },
  )

  test('EventStoreDB listens on the port that it is asked on', () => {
    const nodes = all.filter(([, one]) => one.image.includes(eventStore.image))
    const ports = nodes.map(([, { environment }]) => environment?.['EVENTSTORE_NODE_PORT'])

    expect(new Set(ports)).toEqual(new Set([eventStore.port]))
  })

  test('starts each after those it needs are well, which each of them can say', () => {
    for (const [, { depends_on = {} }] of all) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        const healthy = condition === 'service_healthy'
        expect(['service_healthy', 'service_completed_successfully']).toContain(condition)
        if (healthy) expect([name, services[name]?.healthcheck]).not.toEqual([name, undefined])
      }
    }
    for (const [, { depends_on = {} }] of own) expect(Object.keys(depends_on)).not.toEqual([])
  })

  test('asks Vigil whether it is ready at a path that it has', () => {
    const paths = listRoutes().map(({ path }) => path)
    for (const [, { healthcheck }] of own) {
      const [how, node, script = '', path = ''] = healthcheck?.test ?? []
      expect([how, node, script]).toEqual(['CMD', 'node', 'healthCheck.js'])
      expect(path).toBe('/health/ready')
      expect(paths).toContain(path)
    }
  })

  test('keeps the data of each instance in a volume of its own, and its root unwritten', () => {
    const mounted = own.map(([, { volumes: own = [] }]) => own)
    const sources = mounted.map(([volume = '']) => volume.split(':')[0] ?? '')

    for (const [volume = ''] of mounted) expect(volume.split(':')[1]).toBe(image['VIGIL_DATA'])
    expect(new Set(sources).size).toBe(own.length)
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(sources))
    for (const [, service] of own) expect(service.read_only).toBe(true)
  })

  test.each(all)(
    '%s writes nothing but volumes and /tmp, and has no right that it needs not',
    (_, service) => {
      expect(service).toMatchObject({
        init: true,
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      })
      expect(service.cap_add).toBeUndefined()
    },
  )

  test('can be reached from this machine alone, and only at the port that answers', () => {
    const ports = all.flatMap(([, service]) => service.ports ?? [])
    expect(ports).toEqual([`127.0.0.1:8080:${image['PORT']}`])
  })

  test('no secret is in an environment, and each is a file that is made', () => {
    for (const [, { environment = {}, secrets: named = [] }] of all) {
      for (const [name, value] of Object.entries(environment)) {
        expect([name, value]).not.toEqual([
          expect.stringMatching(/(?:TOKEN|KEY|PASSWORD|MONGODB_URL)$/),
          expect.anything(),
        ])
        if (name.endsWith('_FILE')) expect(named).toContain(value.replace('/run/secrets/', ''))
      }
      for (const name of named) expect(made[name]?.file).toBe(`./secrets/${name}`)
    }
    const files = secrets.map(([name]) => name)
    expect(files).toEqual(expect.arrayContaining(Object.keys(made)))
  })

  test('MongoDB asks for a user and a password, which are those that Vigil has', () => {
    const mongo = all.filter(([, one]) => one.environment?.['MONGO_INITDB_ROOT_USERNAME'])
    expect(mongo).toHaveLength(1)
    const url = new URL(
      configOf(own[0]?.[1]).mongoDbUrl?.replace(/@.*\//, '@mongo/') ?? 'about:blank',
    )
    expect([url.username, url.password]).toEqual([
      'vigil',
      Object.fromEntries(secrets)['mongodb-password']?.trim(),
    ])
  })

  test('mounts only files that are there', () => {
    const files = all.flatMap(([, one]) => one.volumes ?? []).filter((one) => one.startsWith('./'))
    for (const one of files) expect([one, existsSync(one.split(':')[0] ?? '')]).toEqual([one, true])
  })

  test('waits longer for the stop than the service takes', () => {
    const stopTimeoutMs = Number(
      /const stopTimeoutMs = ([\d_]+)/
        .exec(read('src/main/stopOnSignals.ts'))?.[1]
        ?.replace('_', ''),
    )
    for (const [, { stop_grace_period }] of own) {
      expect(Number.parseInt(stop_grace_period ?? '', 10) * 1_000).toBeGreaterThanOrEqual(
        stopTimeoutMs * 1.5,
      )
    }
  })
})

describe('KurrentDB in the place of EventStoreDB', () => {
  const base = readComposeFile('docker-compose.yml', {})
  const over = readComposeFiles('docker-compose.yml', 'docker-compose.kurrentdb.yml', {})
  const [before, after] = [base.services['eventstore'], over.services['eventstore']]

  test('is another image, of an exact version, and nothing else is another', () => {
    expect(after?.image).toMatch(/^kurrentplatform\/kurrentdb:\d+\.\d+\.\d+$/)
    expect({ ...over.services, eventstore: before }).toEqual(base.services)
    expect(over.volumes).toEqual(base.volumes)
    expect(after?.healthcheck).toEqual(before?.healthcheck)
  })

  test('has the same settings under its own names, and tells nobody of itself', () => {
    const settings = Object.entries(before?.environment ?? {})

    expect(after?.environment).toEqual(
      Object.fromEntries(
        settings.map(([name, value]) => [name.replace('EVENTSTORE_', 'KURRENTDB_'), value]),
      ),
    )
    expect(after?.environment?.['KURRENTDB_TELEMETRY_OPTOUT']).toBe('true')
  })

  test('finds the volumes of EventStoreDB where it looks for its own', () => {
    const moved = (before?.volumes ?? []).map((one) => one.replace(/eventstore$/, 'kurrentdb'))

    expect(moved).toHaveLength(2)
    expect(after?.volumes).toEqual(moved)
  })

  test('is the image to whose user the guide and the workflow give the volumes', () => {
    for (const file of ['docs/guide/deployment.md', '.ci/compose']) {
      const given = /chown (.*) \\\n\s+(\S+) -R/.exec(read(file)) ?? []

      expect(given[2]).toBe(after?.image)
      for (const volume of after?.volumes ?? []) {
        expect(given[1]).toContain(`-v vigil_${volume.split(':')[0]}:`)
      }
    }
  })
})

describe('the secrets', () => {
  test('are made once: what is there stays', () => {
    expect(makeSecrets()).toEqual(secrets)
  })

  test('are all different, in a folder that only its owner enters', () => {
    const values = secrets.map(([, value]) => value)

    expect(new Set(values).size).toBe(values.length)
    expect(statSync(secretsFolder).mode & 0o777).toBe(0o700)
  })
})

describe('the cluster', () => {
  const { services } = readComposeFile('docker-compose.cluster.yml', {})
  const named = (kind: string) => Object.keys(services).filter((name) => name.match(`^${kind}-\\d`))

  test('every node of EventStoreDB knows the others, and is known by its name', () => {
    const nodes = named('eventstore')
    expect(nodes).toHaveLength(3)
    for (const name of nodes) {
      const { environment = {} } = services[name] ?? {}
      const others = nodes.filter((other) => other !== name).map((other) => `${other}:2113`)
      expect(environment['EVENTSTORE_GOSSIP_SEED']).toBe(others.join(','))
      expect(environment['EVENTSTORE_NODE_HOST_ADVERTISE_AS']).toBe(name)
      expect(environment['EVENTSTORE_REPLICATION_HOST_ADVERTISE_AS']).toBe(name)
      expect(environment['EVENTSTORE_CLUSTER_SIZE']).toBe(String(nodes.length))
    }
  })

  test('the replica set has one name and one list of members everywhere', () => {
    const made = read('ops/mongoReplicaSet.js')
    const set = /_id: '(\w+)', members/.exec(made)?.[1]
    const members = named('mongo')
    expect(
      [...(/\[(.*)\]\.map/.exec(made)?.[1] ?? '').matchAll(/'([^']+)'/g)].map(([, one]) => one),
    ).toEqual(members)
    for (const name of members)
      expect(services[name]?.command?.join(' ')).toContain(`--replSet ${set}`)
    const url = configOf(services['api-1']).mongoDbUrl
    expect(hostsOf(url)).toEqual(members.map((name) => `${name}:27017`))
    expect(url).toContain(`replicaSet=${set}`)
    for (const name of members) expect(services[name]?.secrets).toContain('mongodb-key')
  })

  test('the balancer sends requests to every instance that answers, and to no projector', () => {
    const balancer = read('ops/nginx.cluster.conf')
    const sent = [...balancer.matchAll(/^\s*server ([\w-]+:\d+) /gm)].map(([, to]) => to)

    expect(sent).toEqual(named('api').map((name) => `${name}:${image['PORT']}`))
    expect(balancer).toContain(`listen ${image['PORT']};`)
    expect(balancer).toContain('proxy_set_header X-Forwarded-For $remote_addr;')
    expect(services['api-1']?.environment?.['TRUST_PROXY']).toBe('1')
    expect(services['balancer']?.volumes?.map((one) => one.split(':').slice(0, 2))).toEqual([
      ['./ops/nginx.cluster.conf', '/etc/nginx/conf.d/default.conf'],
      ['./ops/nginx.errors.inc', '/etc/nginx/conf.d/nginx.errors.inc'],
    ])
  })
})
