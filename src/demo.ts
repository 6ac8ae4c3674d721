/** Creates the demo account on a first start, with its token, flows, recipes and rules. */

import { randomUUID } from 'node:crypto'
import { demoRequestId } from './app/openService.ts'
import type { Service } from './app/serviceContext.ts'
import { openAccount, setAccess } from './commands/accounts/accounts.ts'
import { type IssuedApiToken, issueApiToken } from './commands/accounts/issueApiToken.ts'
import { changeRulebook } from './commands/rulebook/changes/changeRulebook.ts'
import type { RulebookChanges } from './commands/rulebook/changes/rulebookChanges.ts'
import type { Call } from './domain/call.ts'
import { Failure } from './domain/failure.ts'
import type { RecipeInput } from './state/rulebook/recipes.ts'
import type { RuleInput } from './state/rulebook/rules.ts'

type DemoRule = Omit<RuleInput, 'name'> & Omit<RecipeInput['rules'][number], 'rule_id'>

/** The recipes of a flow, and their rules, by their names. */
type DemoFlow = Readonly<
  Record<
    string,
    Pick<RecipeInput, 'status' | 'threshold'> & {
      readonly rules: Readonly<Record<string, DemoRule>>
    }
  >
>

/** What a newcomer needs for a first verdict. */
export interface DemoAccount {
  readonly token: string
  readonly signupFlow: string
  readonly payoutFlow: string
}

const disposable = '["mailinator.com", "guerrillamail.com", "10minutemail.com", "yopmail.com"]'

const flows: Readonly<Record<string, DemoFlow>> = {
  Signup: {
    'Throw-away identity': {
      status: 'LIVE',
      threshold: 50,
      rules: {
        'On the block list': { expression: 'list.block', weight: 100, preempts: 'FLAG' },
        'On the allow list': { expression: 'list.allow', weight: 0, preempts: 'PASS' },
        'Disposable e-mail domain': {
          expression: `emailDomain(target.email_address) in ${disposable}`,
          weight: 60,
        },
        'Address full of digits': {
          expression: 'target.email_address.matches("[0-9]{5,}[^@]*@")',
          weight: 20,
        },
        'Number from another country than the shop': {
          expression: 'phoneCountry(target.phone_number) != signal.ext.shop_country',
          weight: 25,
        },
      },
    },
    'Automated device': {
      status: 'LIVE',
      threshold: 60,
      rules: {
        'Address of a hosting network': {
          expression: 'inCidr(signal.ip, ["192.0.2.0/24", "198.51.100.0/24"])',
          weight: 50,
        },
        'Headless browser': {
          expression: 'signal.user_agent.matches("(?i)headless|phantomjs|selenium")',
          weight: 70,
        },
        'Web client that claims to be a phone': {
          expression: 'signal.device_platform == "web" && signal.device_model.contains("iPhone")',
          weight: 40,
        },
      },
    },
    'Night-time signups (on trial)': {
      status: 'SHADOW',
      threshold: 40,
      rules: {
        'Between midnight and five, UTC': {
          expression: 'request.time.getHours() < 5',
          weight: 40,
        },
        'Knows us already': { expression: 'signal.existing_user', weight: -30 },
      },
    },
  },
  Payout: {
    'Large or hurried payout': {
      status: 'LIVE',
      threshold: 70,
      rules: {
        'More than a thousand': { expression: 'double(signal.ext.amount) > 1000.0', weight: 40 },
        'Within a day of the signup': {
          expression: 'request.time - timestamp(signal.ext.signed_up_at) < duration("24h")',
          weight: 40,
        },
        'Account changed, device unknown': {
          expression:
            'signal.ext.payout_account_changed == "yes" && !(has(signal.ext.known_device) || has(signal.device_id))',
          weight: 35,
        },
        'Agreed as trusted': { expression: 'signal.is_trusted_user', weight: 0, preempts: 'PASS' },
      },
    },
  },
}

const scopes = ['eval', 'feedback', 'manage', 'author', 'analyse', 'audit'] as const

/** Of every instance on a log: what one has done, the others find done. */
const idempotencyKey = 'the demo account of a first start'

/**
 * Creates the demo account through the same commands as any account, or what it lacks when an earlier start was
 * interrupted (`isBegun`): then with another token, since nobody may have seen the first. Undefined when another
 * instance that starts at the same time creates it.
 */
export async function createDemoAccount(
  service: Service,
  { isBegun }: { readonly isBegun: boolean },
): Promise<DemoAccount | undefined> {
  const common = { requestId: demoRequestId, idempotencyKey }
  const operator: OperatorCall = { principal: { kind: 'operator' }, ...common }
  const { account_id } = (await openAccount(service.context, operator, { name: 'Demo' })).value
  await setAccess(service.context, operator, {
    account: account_id,
    authoring: true,
    management: true,
    trusted_user: true,
  })
  const issuing = { ...operator, ...(isBegun && { idempotencyKey: randomUUID() }) }
  const issued = await issueOnce(service, issuing, account_id)
  if (issued === undefined) return undefined
  const { token, token_id: tokenId } = issued
  // not by `authenticate`, which would record that the token was used
  const principal = { kind: 'account', accountId: account_id, tokenId, scopes } as const
  const asked = { changes: demoChanges(), faults: new Map() }
  const { value } = await changeRulebook(service.context, { principal, ...common }, asked)
  const [signupFlow = '', payoutFlow = ''] = value.flows.map(({ id = '' }) => id)
  return { token, signupFlow, payoutFlow }
}

type OperatorCall = Call<{ readonly kind: 'operator' }>

/** Undefined when another has issued it, to whom alone it was shown. */
async function issueOnce(
  service: Service,
  operator: OperatorCall,
  accountId: string,
): Promise<IssuedApiToken | undefined> {
  try {
    const input = { account: accountId, scopes, name: 'Demo' }
    return (await issueApiToken(service.context, operator, input)).value
  } catch (error) {
    if (error instanceof Failure && error.code === 'conflict') return undefined
    throw error
  }
}

/** All of it in one write, in which rules and recipes are named by their index. */
function demoChanges(): RulebookChanges {
  const recipes = Object.values(flows).flatMap((flow) => Object.entries(flow))
  const rules = recipes.flatMap(([, recipe]) => Object.entries(recipe.rules))
  const indexIn = (named: readonly (readonly [string, object])[], wanted: object) =>
    named.findIndex(([, one]) => one === wanted)
  return {
    rules: rules.map(([name, { expression }]) => ({ content: { name, expression } })),
    recipes: recipes.map(([name, recipe]) => {
      const members = Object.values(recipe.rules).map((rule) => {
        const { expression: _, ...member } = rule
        return { rule_id: `rules.${indexIn(rules, rule)}`, ...member }
      })
      return { content: { name, ...recipe, rules: members } }
    }),
    flows: Object.entries(flows).map(([name, flow]) => ({
      content: {
        name,
        recipes: Object.values(flow).map((recipe) => `recipes.${indexIn(recipes, recipe)}`),
      },
    })),
  }
}
