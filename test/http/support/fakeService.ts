/** A service whose every function answers something plausible at once, and can be replaced one by one; its context is real, over stores in memory. */

import type { Service } from '../../../src/app/service.ts'
import { sdkKeyText } from '../../../src/auth/sdkKey.ts'
import { Failure, invalidRequest } from '../../../src/domain/failure.ts'
import { type Scope, scopes } from '../../../src/domain/principal.ts'
import type { SessionsQueryContext } from '../../../src/queries/sessions/queryContext.ts'
import { keyring, memoryContext, seedAccount } from './memoryContext.ts'

export const operatorToken = 'the-operator-token-of-these-tests'

const letters = (letter: string) => `0${letter.repeat(25)}`

export const ids = {
  account: `acc_${letters('a')}`,
  token: `tok_${letters('t')}`,
  sdkKey: `sdk_${letters('s')}`,
  evaluation: `evl_${letters('e')}`,
  flow: `flo_${letters('f')}`,
  recipe: `rcp_${letters('c')}`,
  rule: `rul_${letters('r')}`,
  list: `lst_${letters('s')}`,
  version: `ver_${letters('v')}`,
  template: `template_${letters('m')}`,
  user: `usr_${letters('n')}`,
  session: `ses_${letters('w')}`,
  erasure: `era_${letters('z')}`,
  replay: `rpl_${letters('p')}`,
}

const seed = { sdkKey: ids.sdkKey, rule: ids.rule, recipe: ids.recipe, flow: ids.flow }

/** The one SDK key that `fakeService` takes. */
export const sdkKey = sdkKeyText({ accountId: ids.account, keyId: ids.sdkKey }, keyring.digest)
export const appId = '54e9ujn'

/** A token that `fakeService` takes for one with these scopes. */
export const tokenWith = (...granted: readonly Scope[]) => `with:${granted.join(',')}`

export const everyScope = tokenWith(...scopes)

/** A token with every scope of another account. */
export const ofAccount = (number: number) => `of:${number}`

/** The id of that account. */
export const accountNumber = (number: number) => `acc_${String(number).padStart(26, '0')}`

export const signingKey = {
  kid: '01h455vb4pex5vsknk084sn02q',
  public_key: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  status: 'signs',
  added_at: '2026-11-21T09:30:00.000Z',
} as const

const refuse = (): never => {
  throw invalidRequest([])
}

/** Knows no application, and refuses every command and question that is let in as invalid, which every route describes. */
const sessionsContext = new Proxy(
  {
    apps: { peek: () => undefined, folded: refuse, catchUp: refuse },
    limitAppReads: async () => undefined,
  },
  { get: (known, name) => (name in known ? known[name as keyof typeof known] : refuse()) },
) as unknown as SessionsQueryContext

const base: Omit<Service, 'context'> = {
  sessionsContext,
  authenticate: async (token) => {
    if (token === operatorToken) return { kind: 'operator' }
    const [, number] = /^of:(\d+)$/.exec(token) ?? []
    if (number !== undefined) {
      const accountId = accountNumber(Number(number))
      return { kind: 'account', accountId, tokenId: ids.token, scopes }
    }
    if (!token.startsWith('with:')) {
      throw new Failure('invalid_api_token', 'The API token is not valid.')
    }
    const granted = scopes.filter((scope) => token.slice(5).split(',').includes(scope))
    return { kind: 'account', accountId: ids.account, tokenId: ids.token, scopes: granted }
  },
  authenticateFrontEnd: async (key) => {
    if (key !== sdkKey) throw new Failure('invalid_sdk_key', 'The SDK key is not valid.')
    return { kind: 'front_end', accountId: ids.account, keyId: ids.sdkKey }
  },
  close: async () => {},
}

/** The fake, with some of its functions and of its context replaced; every account that calls has the flow `ids.flow`. */
export function fakeService(
  replaced: Partial<Service> = {},
  inContext: Partial<Service['context']> = {},
): Service {
  const context = { ...memoryContext({ account: ids.account, ...seed }), ...inContext }
  const known = new Set([ids.account])
  const authenticate: Service['authenticate'] = async (token) => {
    const principal = await base.authenticate(token)
    if (principal.kind !== 'account' || known.has(principal.accountId)) return principal
    known.add(principal.accountId)
    seedAccount(context, { account: principal.accountId, ...seed })
    return principal
  }
  return { ...base, authenticate, context, ...replaced }
}

/** The fake, in which something is awaited before each evaluation of an account is recorded. */
export function fakeServiceWith(
  beforeRecording: (account: string) => Promise<unknown>,
  replaced: Partial<Service> = {},
): Service {
  const service = fakeService(replaced)
  const { events } = service.context
  const append: typeof events.append = async (one) => {
    if (one.stream.startsWith('evaluation-')) {
      const { account } = JSON.parse(one.events[0]?.metadata ?? '') as { readonly account: string }
      await beforeRecording(account)
    }
    return events.append(one)
  }
  return { ...service, context: { ...service.context, events: { ...events, append } } }
}
