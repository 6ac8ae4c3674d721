/** A process that fills a data folder with evaluations, by the service itself. */

import { randomBytes, randomUUID } from 'node:crypto'
import pino from 'pino'
import type { Service } from '../src/app/serviceContext.ts'
import { openAccount, setAccess } from '../src/commands/accounts/accounts.ts'
import { issueApiToken } from '../src/commands/accounts/issueApiToken.ts'
import { saveResource } from '../src/commands/rulebook/rulebookResources.ts'
import type { AccountPrincipal, Principal } from '../src/domain/principal.ts'
import { flowDefinition } from '../src/state/rulebook/flows.ts'
import { recipeDefinition } from '../src/state/rulebook/recipes.ts'
import { ruleDefinition } from '../src/state/rulebook/rules.ts'
import { evaluateFlow, openMetrics, openService } from './built.ts'
import { answerMessages, operatorToken } from './childProcess.ts'
import { celText } from './notations.ts'
import { person } from './people.ts'
import { weightOf } from './plan.ts'
import { sixtyRules } from './sixtyRules.ts'

export interface LogOrder {
  readonly folder: string
  readonly evaluations: number
  /** Over how many days, up to now, they are spread; as fast as they are made unless given. */
  readonly days?: number
}

/** Fewer than an account may have under way at a time. */
const callers = 100
const peopleMax = 50_000
const dayMs = 24 * 60 * 60 * 1_000

answerMessages<LogOrder, boolean>(write)

async function write({ folder, evaluations, days }: LogOrder): Promise<boolean> {
  const beganMs = Date.now() - (days ?? 0) * dayMs
  const stepMs = ((days ?? 0) * dayMs) / evaluations
  let next = 0
  const { service } = await openService({
    dataFolder: folder,
    masterKey: undefined,
    operatorToken,
    clock: { nowMs: () => (days === undefined ? Date.now() : Math.floor(beganMs + next * stepMs)) },
    random: { bytes: (count) => randomBytes(count) },
    logger: pino({ level: 'warn' }),
    metrics: openMetrics(),
  })
  const { principal, flow } = await openFlow(service)
  const evaluateSome = async (): Promise<void> => {
    while (next < evaluations) {
      const { phone_number, email_address, existing_user, ext } = person(next % peopleMax)
      next += 1
      await evaluateFlow(
        service.context,
        { principal, requestId: randomUUID() },
        {
          flow_id: flow,
          target: { phone_number, email_address },
          signals: { existing_user, ext },
        },
      )
    }
  }
  await Promise.all(Array.from({ length: callers }, evaluateSome))
  await service.close()
  return true
}

async function openFlow(service: Service): Promise<{ principal: AccountPrincipal; flow: string }> {
  const operator: { principal: Principal; requestId: string } = {
    principal: { kind: 'operator' },
    requestId: randomUUID(),
  }
  const account = (await openAccount(service.context, operator, { name: 'Shop' })).value.account_id
  await setAccess(service.context, operator, { account: account, authoring: true })
  const issued = await issueApiToken(service.context, operator, {
    account,
    scopes: ['eval', 'author'],
  })
  const principal = (await service.authenticate(issued.value.token)) as AccountPrincipal
  const call = { principal, requestId: randomUUID() }
  const rules: { rule_id: string; weight: number }[] = []
  for (const [index, condition] of sixtyRules.entries()) {
    const made = await saveResource(service.context, call, {
      kind: ruleDefinition,
      input: {
        name: `Rule ${index}`,
        expression: celText(condition),
      },
    })
    rules.push({ rule_id: made.value.id, weight: weightOf(index) })
  }
  const recipe = { name: 'Recipe', status: 'LIVE', threshold: 50, rules } as const
  const recipes = [
    (await saveResource(service.context, call, { kind: recipeDefinition, input: recipe })).value.id,
  ]
  const flow = (
    await saveResource(service.context, call, {
      kind: flowDefinition,
      input: { name: 'Flow', recipes },
    })
  ).value.id
  return { principal, flow }
}
