/** The servers and instances of a run. */

import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operatorToken } from '../support/openVigil.ts'
import type { TcpProxy } from '../support/tcpProxy.ts'
import { startFakeLogProcess } from './fakeLogProcess.ts'
import type { FaultOptions } from './faultOptions.ts'
import { type Instance, openInstance } from './instance.ts'
import type { Victims } from './mischief.ts'
import { type Proxied, proxiedUrl } from './proxiedUrl.ts'

export interface World extends Victims {
  /** The log and the read models, without a proxy. */
  readonly eventStoreUrl: string
  readonly mongoUrl: string
  /** What it consists of, for whoever reads the outcome. */
  readonly text: string
  /** Ends everything that was started, and removes its folders. */
  readonly close: () => Promise<void>
}

const count = 3

export async function openWorld({ eventStoreUrl, mongoUrl }: FaultOptions): Promise<World> {
  const fake = eventStoreUrl === undefined ? await startFakeLogProcess() : undefined
  const log = eventStoreUrl ?? fake?.url ?? ''
  const root = mkdtempSync(join(tmpdir(), 'vigil-faults-'))
  const masterKey = randomBytes(32).toString('hex')
  const instances: Instance[] = []
  const mongo: TcpProxy[] = []
  const undisturbed = new Set<string>()
  for (let number = 1; number <= count; number += 1) {
    const urls = { EVENTSTORE_URL: log, MONGODB_URL: mongoUrl }
    const made = await instanceIn(join(root, `instance-${number}`), urls, masterKey)
    instances.push(made.instance)
    mongo.push(...made.mongo)
    for (const name of made.undisturbed) undisturbed.add(name)
  }
  const left = [...undisturbed].map(
    (name) =>
      `; the network to ${name} is left alone, since no proxy can stand before TLS, a replica set or several hosts`,
  )
  return {
    ...{ instances, mongo },
    ...{ eventStoreUrl: log, mongoUrl },
    text: `${count} instances, log in ${fake ? 'the EventStoreDB fake' : 'EVENTSTORE_URL'}, read models and keys in MONGODB_URL${left.join('')}`,
    log: fake && {
      pause: () => void fake.process.kill('SIGSTOP'),
      resume: () => void fake.process.kill('SIGCONT'),
    },
    close: async () => {
      await Promise.all(instances.map((instance) => instance.kill()))
      await Promise.all(instances.flatMap(({ proxies }) => proxies.map((proxy) => proxy.close())))
      fake?.process.kill('SIGKILL')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

interface MadeInstance {
  readonly instance: Instance
  /** Its way to MongoDB, where there is a proxy on it. */
  readonly mongo: readonly TcpProxy[]
  /** The variables of servers to which there is none. */
  readonly undisturbed: readonly string[]
}

async function instanceIn(
  folder: string,
  urls: Readonly<Record<string, string>>,
  masterKey: string,
): Promise<MadeInstance> {
  mkdirSync(folder)
  const proxied: Record<string, Proxied> = {}
  for (const [name, url] of Object.entries(urls)) proxied[name] = await proxiedUrl(url)
  const instance = openInstance({
    name: folder.split('/').at(-1) ?? '',
    folder,
    proxies: Object.values(proxied).flatMap(({ proxy }) => (proxy ? [proxy] : [])),
    environment: {
      ...Object.fromEntries(Object.entries(proxied).map(([name, { url }]) => [name, url])),
      VIGIL_MASTER_KEY: masterKey,
      VIGIL_OPERATOR_TOKEN: operatorToken,
      VIGIL_DEMO: 'false',
      // what it says of requests would only fill the memory of the run
      LOG_LEVEL: 'info',
    },
  })
  const { proxy } = proxied['MONGODB_URL'] ?? {}
  const undisturbed = Object.keys(proxied).filter((name) => !proxied[name]?.proxy)
  return { instance, mongo: proxy ? [proxy] : [], undisturbed }
}
