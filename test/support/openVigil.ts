/** A whole Vigil on a folder of its own: real stores, real service, real door. */

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { openService, type ServiceOptions } from '../../src/app/openService.ts'
import type { Service, SessionsOptions } from '../../src/app/serviceContext.ts'
import type { HashCost } from '../../src/auth/passwordHash.ts'
import type { ListKind } from '../../src/domain/lists/lists.ts'
import { parsePrivateHosts } from '../../src/domain/network/outboundHost.ts'
import type { Scope } from '../../src/domain/principal.ts'
import type { AppOptions } from '../../src/http/app.ts'
import type { Logger } from '../../src/log.ts'
import { type Metrics, openMetrics } from '../../src/metrics/openMetrics.ts'
import { type Door, openDoor } from '../http/support/openDoor.ts'
import type { Received } from '../http/support/sendRequest.ts'
import { dropStoresOfTest, type StoreUrls, storesForTest } from './storesForTest.ts'

export const operatorToken = 'an-operator-token-for-these-tests-only'

type Body = Record<string, unknown>

export interface Vigil {
  readonly folder: string
  readonly door: Door
  readonly service: Service
  /** Whether nobody had used the folder before. */
  readonly isNew: boolean
  /** Whether an earlier start has begun the demo account. */
  readonly isBegun: boolean
  /** Moves the clock that the service sees. */
  readonly setTime: (nowMs: number) => void
  /** Closes everything and opens it again on the same folder. */
  readonly restart: () => Promise<Vigil>
  /** Closes everything, and leaves the folder. */
  readonly stop: () => Promise<void>
  /** The same, and removes the folder. */
  readonly close: () => Promise<void>
}

interface VigilOptions extends Partial<Pick<AppOptions, 'trustedProxies' | 'frontEnds' | 'nowMs'>> {
  /** A new one unless given. */
  readonly folder?: string
  /** An EventStoreDB that keeps the log. */
  readonly eventStoreUrl?: string | undefined
  /** A MongoDB that keeps read models and sealing keys. */
  readonly mongoDbUrl?: string
  /** Sealing keys held ready. */
  readonly keyPoolSize?: number
  readonly logger?: Logger
  readonly metrics?: Metrics
  readonly inFlightMax?: number
  /** As VIGIL_PRIVATE_MIGRATION_HOSTS has them. */
  readonly privateMigrationHosts?: string
  /** How the URLs of customers are reached. */
  readonly outside?: SessionsOptions['outside']
  readonly linesPerSecond?: number
  /** Whether stores and read models have threads of their own, as shipped; not unless given. */
  readonly thread?: 'own'
  /** What hashing a password costs; next to nothing unless given. */
  readonly passwordCost?: HashCost
  /** The clock that the service sees, until its time is set; the machine's unless given. */
  readonly clockMs?: () => number
}

/** Opens a Vigil on a new folder, or on a given one. */
export async function openVigil(options: VigilOptions = {}): Promise<Vigil> {
  const {
    logger = pino({ level: 'silent' }),
    metrics = openMetrics(),
    clockMs = Date.now,
  } = options
  const { folder = mkdtempSync(join(tmpdir(), 'vigil-')), ...rest } = options
  let time: number | undefined
  const stores: StoreUrls = options.eventStoreUrl === undefined ? await storesForTest(folder) : {}
  const how: ServiceOptions = {
    dataFolder: folder,
    eventStoreUrl: options.eventStoreUrl ?? stores.eventStoreUrl,
    mongoDbUrl: options.mongoDbUrl ?? stores.mongoDbUrl,
    privateMigrationHosts: parsePrivateHosts(options.privateMigrationHosts ?? '') ?? [],
    ...(options.outside && { outside: options.outside }),
    ...(options.inFlightMax !== undefined && { inFlightMax: options.inFlightMax }),
    ...(options.keyPoolSize !== undefined && { keyPoolSize: options.keyPoolSize }),
    passwordCost: options.passwordCost ?? { memoryKib: 8, passes: 1 },
    masterKey: undefined,
    operatorToken,
    clock: { nowMs: () => time ?? clockMs() },
    random: { bytes: (count) => randomBytes(count) },
    logger,
    metrics,
    thread: options.thread ?? 'caller',
  }
  const opened = await openService(how)
  const door = await openDoor(opened.service, { ...rest, logger })
  const stop = async (): Promise<void> => {
    await door.close()
    await opened.service.close()
  }
  return {
    folder,
    door,
    service: opened.service,
    isNew: opened.isNew,
    isBegun: opened.isBegun,
    setTime: (nowMs) => {
      time = nowMs
    },
    stop,
    restart: async () => {
      await stop()
      return openVigil({ ...options, folder })
    },
    close: async () => {
      await stop()
      await dropStoresOfTest(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

type Send = (
  method: string,
  path: string,
  ...sent: readonly [body?: unknown, headers?: Record<string, string>]
) => Promise<Received<Body>>

/** Sends requests with the token, to the door that the service has then. */
export function sendAs(to: { readonly door: Pick<Door, 'request'> }, token: string): Send {
  return (method, path, ...[body, headers = {}]) =>
    to.door.request(method, path, { token, headers, ...(body !== undefined && { body }) })
}

export interface Customer {
  readonly accountId: string
  readonly tokenId: string
  readonly token: string
  readonly send: Send
  readonly rule: (expression: string, name?: string) => Promise<string>
  readonly recipe: (rules: readonly unknown[], change?: object) => Promise<string>
  readonly flow: (recipes: readonly string[]) => Promise<string>
  /** A list of its own, by its name and what stands on it. */
  readonly list: (name: string, kind: ListKind) => Promise<string>
  /** A live flow of one recipe with these rules, each of weight 60, threshold 50. */
  readonly flowOf: (...expressions: readonly string[]) => Promise<string>
  readonly evaluate: (
    flow: string,
    change?: object,
    headers?: Record<string, string>,
  ) => Promise<Received<Body>>
  /** Issues another token of the account. */
  readonly tokenWith: (scopes: readonly Scope[]) => Promise<string>
  /** Records a dispatch and answers its id. */
  readonly dispatch: (signals: object) => Promise<string>
}

const allScopes: readonly Scope[] = ['eval', 'author', 'analyse', 'audit', 'manage', 'feedback']

/** An account with every access and a token of these scopes. */
export async function openCustomer(
  vigil: { readonly door: Pick<Door, 'request'> },
  scopes: readonly Scope[] = allScopes,
): Promise<Customer> {
  const operate = (method: string, path: string, body: unknown) =>
    sendAs(vigil, operatorToken)(method, `/v2/operator/accounts${path}`, body)
  const account = String((await operate('POST', '', { name: 'Shop' })).body['account_id'])
  await operate('PUT', `/${account}/access`, {
    authoring: true,
    management: true,
    trusted_user: true,
  })
  const issue = async (some: readonly Scope[]) =>
    (await operate('POST', `/${account}/tokens`, { scopes: some })).body
  const issued = await issue(scopes)
  const token = String(issued['token'])
  const send = sendAs(vigil, token)
  const made = async (kind: string, body: object): Promise<string> => {
    const answer = await send('POST', `/v2/watch/management/${kind}`, body)
    if (answer.status !== 201) throw new Error(answer.text)
    return String(answer.body['id'])
  }
  const customer: Customer = {
    accountId: account,
    tokenId: String(issued['token_id']),
    token,
    send,
    rule: (expression, name = 'a rule') => made('rules', { name, expression }),
    recipe: (rules, change) =>
      made('recipes', { name: 'a recipe', status: 'LIVE', threshold: 50, rules, ...change }),
    flow: (recipes) => made('flows', { name: 'a flow', recipes }),
    list: (name, kind) => made('lists', { name, kind }),
    flowOf: async (...expressions) => {
      const rules: unknown[] = []
      for (const expression of expressions) {
        rules.push({ rule_id: await customer.rule(expression), weight: 60 })
      }
      return customer.flow([await customer.recipe(rules)])
    },
    evaluate: (flow_id, change = {}, headers = {}) =>
      send(
        'POST',
        '/v2/watch/eval',
        { flow_id, target: { phone_number: '+33612345678' }, ...change },
        headers,
      ),
    tokenWith: async (some) => String((await issue(some))['token']),
    dispatch: async (signals) => {
      const dispatch_id = randomUUID()
      const answer = await operate('POST', `/${account}/dispatches`, { dispatch_id, signals })
      if (answer.status !== 201) throw new Error(answer.text)
      return dispatch_id
    },
  }
  return customer
}
