/**
 * What managed rules are called, read and compare is in no answer that an account has, whichever route or command it
 * asks.
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CommandDefinition, Commands } from '../../src/cli/connecting/commandDefinition.ts'
import { commandGroups } from '../../src/cli/program.ts'
import { exitCodes } from '../../src/cli/terminal/cliError.ts'
import { scopes } from '../../src/domain/principal.ts'
import { computePlanDigest } from '../../src/events/evaluation/planStreams.ts'
import type { Route } from '../../src/http/request/route.ts'
import { listRoutes } from '../../src/http/routes.ts'
import { compileManagedRule } from '../../src/state/rulebook/compileRule.ts'
import { openCli } from '../cli/support/openCli.ts'
import { operatorToken, sendAs } from '../support/openVigil.ts'
import { projectedHead } from '../support/projectedHead.ts'
import { openDay } from './support/openDay.ts'
import type { Asked, Recorder } from './support/recordExamples.ts'

const { vigil, recorder, live } = await openDay()
const routes = new Map(listRoutes().map((route) => [route.operationId, route]))
const operate = sendAs(vigil, operatorToken)

/** Whether a token of an account opens the route. */
const isOfAccounts = ({ admits }: Route): boolean =>
  typeof admits === 'object' && 'scopes' in admits && admits.scopes.length > 0

/** What may stand in no answer: every name, text and literal of the managed rules has it. */
const mark = 'q7marked'

/** Reads that no own rule has, one of them a signal that never arrives, one that comes from the user agent. */
const expressions = {
  triggers: `target.phone_number != "${mark}-number"`,
  waits: `signal.ja4_fingerprint in ["${mark}-one", "${mark}-two"]`,
  derives: `signal.os_version != "${mark}-version"`,
  matches: `signal.user_agent.matches("${mark}.*")`,
  asks: `phoneCountry(target.phone_number) != "${mark}"`,
  changes: `request.time > timestamp("2020-01-01T00:00:00Z") && list.block != ("${mark}" == "a")`,
}
type Name = keyof typeof expressions
const names = Object.keys(expressions) as Name[]

/** Names that only managed rules read, which the description of the interface and the list of signals may say. */
const readByManagedAlone = ['signal.ja4_fingerprint', 'signal.os_version']
const saysEveryName = new Set([
  'listSignals',
  'getMetrics',
  'getInterfaceDescription',
  'getSessionInterfaceDescription',
])

const answers: { readonly operation: string; readonly text: string }[] = []
const ids = new Map<Name, string>()
let account = ''
let token = ''
const evaluations: string[] = []

const note = (operation: string, text: string): void => {
  const route = routes.get(operation)
  if (!route || isOfAccounts(route)) answers.push({ operation, text })
}

const managedBody = (name: Name, more: object = {}) => ({
  name: `${mark} ${name}`,
  description: 'What customers read.',
  expression: expressions[name],
  ...more,
})

/** Asks as the account does, and keeps the answer. */
async function ask(
  operation: string,
  asked: Omit<Asked, 'operation'> = {},
): Promise<Record<string, unknown>> {
  const { text, body } = await recorder.send({ token, ...asked, operation })
  note(operation, text)
  return body
}

/** The recipes of the day run the managed rules beside their own. */
function withManaged({ operation, body, ...asked }: Asked): Asked {
  const isRecipe = operation === 'createRecipe' || operation === 'replaceRecipe'
  if (!isRecipe || typeof body !== 'object' || !('rules' in body)) {
    return { operation, ...asked, ...(body && { body }) }
  }
  const more = names.map((name) => ({ rule_id: ids.get(name), weight: 1 }))
  const rules = [...(body.rules as unknown[]), ...more]
  return { operation, ...asked, body: { ...body, rules } }
}

beforeAll(async () => {
  for (const name of names) {
    const { status, text, body } = await operate(
      'POST',
      '/v2/operator/managed/rules',
      managedBody(name),
    )
    if (status !== 201) throw new Error(text)
    ids.set(name, String(body['id']))
  }
  const askAndNote: Recorder['ask'] = async (asked) => {
    const answer = await recorder.ask(withManaged(asked))
    note(asked.operation, JSON.stringify(answer) ?? '')
    if (asked.operation === 'openAccount') account = String(answer['account_id'])
    return answer
  }
  const refused: Recorder['refused'] = async (_, asked) =>
    note(asked.operation, (await recorder.send(asked)).text)
  await live({ ask: askAndNote, refused })
  const path = `/v2/operator/accounts/${account}/tokens`
  token = String((await operate('POST', path, { scopes })).body['token'])
  await useManagedRules()
  await readEverything()
})

/**
 * A live and a shadow recipe, one extending a managed one, evaluated before and after the operator changes the rules.
 */
async function useManagedRules(): Promise<void> {
  const members = names.map((name) => ({ rule_id: ids.get(name), weight: 30 }))
  const base = await operate('POST', '/v2/operator/managed/recipes', {
    name: `${mark} recipe`,
    description: 'What it is for.',
    threshold: 50,
    threshold_bounds: { min: 0, max: 100 },
    parameters: [],
    rules: members,
  })
  const content = { name: 'mine', status: 'LIVE', threshold: 50, rules: members }
  const one = await ask('createRecipe', { body: content })
  const shadow = await ask('createRecipe', {
    body: {
      ...content,
      name: 'tried',
      status: 'SHADOW',
      rules: [{ ...members[0], preempts: 'FLAG' }, ...members.slice(1)],
    },
  })
  const extending = await ask('createRecipe', {
    body: { ...content, name: 'extends', rules: [], base_recipe_id: base.body['id'] },
  })
  const recipes = [one, shadow, extending].map(({ id }) => id)
  const flow = String((await ask('createFlow', { body: { name: 'Flow', recipes } }))['id'])
  const own = await ask('createRule', { body: { name: 'own', expression: '1 == 2' } })
  const pin = { rule_id: own['id'], version_id: own['version_id'], weight: 1 }
  await ask('createRecipe', {
    body: { ...content, name: 'pins', rules: [...members, pin] },
  })
  const dispatch_id = '0198c0de-7f4a-7b2c-9d1e-3a5b7c9d1e3e'
  const user_agent = 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15'
  const signals = { user_agent, ip: '203.0.113.9' }
  await operate('POST', `/v2/operator/accounts/${account}/dispatches`, { dispatch_id, signals })
  const evaluate = async (more: object = {}) => {
    const body = { flow_id: flow, target: { phone_number: '+33612345699' }, ...more }
    evaluations.push(String((await ask('evaluateFlow', { body }))['id']))
  }
  await evaluate()
  await evaluate({ dispatch_id })
  await evaluate({ dispatch_id, target: { email_address: 'someone@example.com' } })
  for (const [name, more] of [
    ['triggers', { expression: `target.phone_number == "${mark}-changed"` }],
    [
      'derives',
      {
        // parameters are what customers set, by their names
        expression: `signal.os_version == param.wanted + "${mark}"`,
        parameters: [{ name: 'wanted', type: 'STRING' }],
      },
    ],
  ] as const) {
    const path = `/v2/operator/managed/rules/${ids.get(name)}`
    const { status, text } = await operate('PUT', path, managedBody(name, more))
    if (status !== 200) throw new Error(text)
  }
  await evaluate({ dispatch_id })
  const sample = { target: { phone_number: '+33612345699' }, dispatch_signals: signals }
  await ask('testFlow', { parameters: { id: flow, explain: 'expressions' }, body: sample })
  await askWhatIsRefused(String(one['id']), content, members)
}

async function askWhatIsRefused(
  id: string,
  content: object,
  members: readonly { readonly rule_id: string | undefined }[],
): Promise<void> {
  const rule = String(ids.get('derives'))
  // it reads a parameter by now, which no recipe has
  await ask('replaceRecipe', { parameters: { id }, body: content })
  const pinned = [{ ...members[0], version_id: `ver_${'0'.repeat(26)}` }]
  await ask('createRecipe', { body: { ...content, rules: pinned } })
  await ask('getRule', { parameters: { id: rule } })
  await ask('listRuleVersions', { parameters: { id: rule } })
  await ask('getRuleUsage', { parameters: { id: rule } })
  await ask('replaceRule', { parameters: { id: rule }, body: managedBody('triggers') })
  await ask('deleteRule', { parameters: { id: rule } })
}

async function readEverything(): Promise<void> {
  for (const evaluation_id of evaluations) {
    const [first = ''] = evaluations
    await ask('getEvaluation', { parameters: { evaluation_id, explain: 'expressions' } })
    await ask('replayEvaluation', { parameters: { evaluation_id } })
    for (const as_of of ['2030-01-01T00:00:00Z', String(await projectedHead(vigil)), '60']) {
      await ask('replayEvaluation', { parameters: { evaluation_id }, body: { as_of } })
    }
    await ask('compareEvaluations', { parameters: { evaluation_id, with: first } })
    await ask('compareEvaluations', { parameters: { evaluation_id: first, with: evaluation_id } })
  }
  for (const operation of ['listState', 'listRecipes', 'listManagedRules', 'listManagedRecipes']) {
    await ask(operation, { parameters: { limit: '200' } })
  }
  await ask('listDifference', { parameters: { from: '1', limit: '200' } })
  await ask('reportRules', {})
  const { id } = await ask('startReplay', { body: {} })
  await vigil.service.context.background.settled()
  await ask('getReplay', { parameters: { replay_id: String(id) } })
  await ask('getMetrics')
  // values that only managed rules had found out are none of theirs
  const columns = 'rules,missing,signal.user_agent,signal.os_version,signal.ja4_fingerprint'
  await ask('exportEvaluations', { parameters: { columns } })
  await ask('exportEvaluations', { parameters: { where: 'signal.os_version != "0"' } })
  for (let after = '0'; ; ) {
    const page = await ask('listEvents', { parameters: { after, limit: '200' } })
    if ((page['events'] as unknown[]).length === 0) break
    after = String(page['next_after'])
  }
}

describe('given recipes with managed rules that trigger, wait, are skipped and cannot run', () => {
  test('when an account asks every route it may, then none has been left out', () => {
    const asked = new Set(answers.map(({ operation }) => operation))
    const open = [...routes.values()].filter(isOfAccounts).map(({ operationId }) => operationId)
    expect(open.filter((operation) => !asked.has(operation))).toEqual([])
    const history = answers
      .filter(({ operation }) => operation === 'listEvents')
      .map(({ text }) => text)
    for (const type of [
      'ExpressionRecorded',
      'PlanRulesRecorded',
      'FlowPlanRecorded',
      'FlowEvaluated',
    ]) {
      expect(history.some((text) => text.includes(`"${type}"`))).toBe(true)
    }
    // of a recipe's rules its own can be pinned, no managed one
    expect(history.some((text) => text.includes('"pinned":[{"rule_id":"rul_'))).toBe(true)
    const shown = answers
      .filter(({ operation }) => operation === 'getEvaluation')
      .map(({ text }) => text)
    for (const seen of ['TRIGGERED', 'missing_data', 'SKIPPED', '"unavailable":true', 'MANAGED']) {
      expect(shown.some((text) => text.includes(seen))).toBe(true)
    }
  })

  test('then no answer has a name, a text or a literal of a managed rule', () => {
    const telling = answers
      .filter(({ text }) => text.includes(mark))
      .map(({ operation }) => operation)
    expect(telling).toEqual([])
  })

  test('then no answer says which names only managed rules read', () => {
    const telling = answers.filter(
      ({ operation, text }) =>
        !saysEveryName.has(operation) && readByManagedAlone.some((name) => text.includes(name)),
    )
    expect(telling.map(({ operation }) => operation)).toEqual([])
    const metrics = answers.findLast(({ operation }) => operation === 'getMetrics')?.text
    expect(metrics).toContain('vigil_rules_not_evaluated_total{signal="signal.ja4_fingerprint"} 0')
    expect(metrics).toMatch(/vigil_rules_not_evaluated_total\{signal="missing_data"\} [1-9]/)
  })

  test('then an export has what was sent, and finds nothing by what managed rules read', () => {
    const [shown = '', found] = answers
      .filter(({ operation }) => operation === 'exportEvaluations')
      .slice(-2)
      .map(({ text }) => text)
    expect(shown).toContain('"signal.user_agent":"Mozilla/5.0 (iPhone')
    expect(found).toBe('')
  })

  test('then neither the order of evidence nor what differs says what managed rules read', () => {
    const textsOf = (operation: string) =>
      answers.filter((answer) => answer.operation === operation).map(({ text }) => text)
    const { evidence } = JSON.parse(textsOf('getEvaluation').at(-1) ?? '')
    // no rule of its own names anything: the target, then by name, and the clock
    expect((evidence as { name: string }[]).map(({ name }) => name)).toEqual([
      'target.phone_number',
      ...['list.allow', 'list.block', 'signal.ip', 'signal.user_agent', 'request.time'],
    ])
    for (const operation of ['compareEvaluations', 'replayEvaluation']) {
      expect(textsOf(operation).filter((text) => text.includes('"name":"request.time"'))).toEqual(
        [],
      )
    }
    const telling = /for_managed"|"missing_managed"|"unanswered"|"blocked_by":\[[^"]*-[2-9]/
    expect(textsOf('listEvents').filter((text) => telling.test(text))).toEqual([])
    expect(textsOf('listEvents').some((text) => text.includes('[-1]'))).toBe(true)
  })

  test('then the history names the value of each piece of evidence all the same', async () => {
    const evidenceOf = ({ evidence }: Record<string, unknown>) => evidence as { name: string }[]
    const byName = (items: readonly { name: string }[]) =>
      items.toSorted((one, other) => (one.name < other.name ? -1 : 1))
    const events = answers
      .filter(({ operation }) => operation === 'listEvents')
      .flatMap(
        ({ text }) => JSON.parse(text)['events'] as Record<string, Record<string, unknown>>[],
      )
    for (const evaluation_id of evaluations) {
      const shown = await ask('getEvaluation', { parameters: { evaluation_id } })
      const event = events.find(({ content }) => content?.['evaluation_id'] === evaluation_id)
      const arrived = event?.['content']?.['arrived'] as { name: string }[]
      expect(byName(arrived)).toEqual(byName(evidenceOf(shown)))
    }
  })

  test('then no answer has the version of a managed rule, or a digest that a guessed text has', async () => {
    const hidden: string[] = []
    for (const name of names) {
      const path = `/v2/operator/managed/rules/${ids.get(name)}/versions`
      const { versions } = (await operate('GET', path)).body
      for (const { version_id } of versions as { version_id: string }[]) hidden.push(version_id)
      const expression = compileManagedRule(expressions[name], [])
      hidden.push(computePlanDigest(account, { expression }))
    }
    const telling = answers.filter(({ text }) => hidden.some((one) => text.includes(one)))
    expect(telling.map(({ operation }) => operation)).toEqual([])
  })
})

/**
 * The commands of accounts that change something and print what they were given, that wait for what `evaluations list`
 * prints, or that ask no service.
 */
const changing =
  /\b(?:eval|register|set|retire|rotate|delete|create|grant|start|revoke|update|submit|put|restore|describe|add|remove|import|push|erase|off|backup|migrate|mongo grant|import evaluations|profile list|reset|tail|searches save|review take|review answer)$/

/** Every other command, with what it takes. */
function listReadingCommands(cli: { readonly folder: string }): readonly string[] {
  const [first = '', last = ''] = [evaluations[0], evaluations.at(-1)]
  return [
    ...['apps list', 'apps get 54e9ujn', 'apps keys list 54e9ujn', 'apps migration get 54e9ujn'],
    ...['users list 54e9ujn', 'users find 54e9ujn customer_user_id 4712'],
    ...[`users get 54e9ujn usr_${'0'.repeat(26)}`, `sessions list 54e9ujn usr_${'0'.repeat(26)}`],
    ...['templates list', 'templates get none', 'sender-ids list'],
    ...['rules list', 'rules managed', `rules get ${ids.get('waits')}`],
    ...[`rules versions ${ids.get('waits')}`, `rules usage ${ids.get('waits')}`],
    ...['recipes list', 'recipes managed', 'recipes get mine', 'recipes versions mine'],
    ...[
      'recipes compare mine tried',
      'rules report --json',
      'flows list',
      'flows get Flow',
      'flows versions Flow',
    ],
    ...['flows test Flow --phone +33612345699', 'flows predict', 'signals'],
    'backtest --flow Flow --recipe mine --threshold 40',
    ...['backtests list', `backtests show bkt_${'0'.repeat(26)}`],
    `backtests cancel bkt_${'0'.repeat(26)}`,
    `backtest --flow Flow --recipe mine --threshold 40 --resume bkt_${'0'.repeat(26)}`,
    ...['rules test list.block', 'lists list', 'lists show block', 'lists export block'],
    ...['phone-lists show block', 'phone-lists export block'],
    ...['phone-lists history block +33612345699'],
    ...['lists history block +33612345699', `pull ${cli.folder}/rules`, `diff ${cli.folder}/rules`],
    ...['diff --from 1 --to 150', 'state', `show ${last} --verbose`, `show ${last} --expressions`],
    ...[`replay ${last}`, `replay ${last} --as-of 60`, 'replay --all', 'evaluations list', 'stats'],
    ...[
      'evaluations export --columns missing,rules,signal.device_platform',
      'top missing',
      'missing',
    ],
    ...['top signal.device_platform', 'feedback export', 'events export'],
    ...['rules test list.block --on-past', `versions verdicts ver_${'0'.repeat(26)}`],
    ...[`evaluations difference ${first} ${last}`, 'history --limit 1000'],
    ...['history --type ExpressionRecorded', 'feedback list', 'events list', 'labels list'],
    ...['searches list', `review list sch_${'0'.repeat(26)}`],
    ...[`subjects erasure era_${'0'.repeat(26)}`, 'retention show'],
  ]
}

function listCommands(commands: Commands, above = '', caller = 'account'): readonly string[] {
  return Object.entries<CommandDefinition>(commands).flatMap(([usage, row]) => {
    const words = `${above} ${usage.split(' ')[0]}`.trim()
    const of = row.caller ?? caller
    const below = listCommands(row.commands ?? {}, words, of)
    return of === 'account' && (row.request ?? row.run) ? [words, ...below] : below
  })
}

test('then the bounds of a score are what the weights and outcomes say that are shown', () => {
  const shown = answers.filter(({ operation }) => operation === 'getEvaluation')
  const recipes = shown.flatMap(({ text }) => JSON.parse(text)['recipes'] as ShownRecipe[])
  const boundsOf = ({ rules }: ShownRecipe) => {
    const weigh = (outcome: string, count: (weight: number) => number) =>
      rules.reduce((sum, one) => sum + (one.outcome === outcome ? count(one.weight) : 0), 0)
    const known = weigh('TRIGGERED', (weight) => weight)
    const clamp = (score: number) => Math.min(100, Math.max(0, score))
    const min = clamp(known + weigh('NOT_EVALUATED', (weight) => Math.min(0, weight)))
    const max = clamp(known + weigh('NOT_EVALUATED', (weight) => Math.max(0, weight)))
    return min === max ? undefined : { min, max }
  }

  const decided = recipes.filter(({ determined_by }) => determined_by === undefined)

  expect(decided.map(({ score_bounds }) => score_bounds)).toEqual(decided.map(boundsOf))
  expect(decided.some(({ score_bounds }) => score_bounds)).toBe(true)
})

interface ShownRecipe {
  readonly determined_by?: string
  readonly score_bounds?: object
  readonly rules: readonly { readonly outcome: string; readonly weight: number }[]
}

test('then nothing is found by the version of a managed rule', async () => {
  const path = `/v2/operator/managed/rules/${ids.get('waits')}/versions`
  const { versions } = (await operate('GET', path)).body
  const [{ version_id } = expect.fail()] = versions as { version_id: string }[]

  const { evaluations: found } = await ask('listEvaluations', {
    parameters: { where: `ran = ${version_id}` },
  })

  expect(found).toEqual([])
})

describe('given the same, when an account reads with the command line', () => {
  const cli = openCli()
  afterAll(() => cli.close())

  test('then no command has been left out, and none prints what is hidden', async () => {
    const variables = { VIGIL_URL: `http://127.0.0.1:${vigil.door.port}`, VIGIL_TOKEN: token }
    const reading = listReadingCommands(cli)
    const all = Object.values(commandGroups).flatMap((commands) => listCommands(commands))
    const left = all.filter(
      (words) => !changing.test(words) && !reading.some((one) => `${one} `.startsWith(`${words} `)),
    )
    expect(left).toEqual([])
    const misused: string[] = []
    const telling: string[] = []
    for (const words of reading.flatMap((one) => [one, `${one} --json`])) {
      const { code, out, err } = await cli.run(words.split(' '), { variables })
      if (code === exitCodes.usage) misused.push(`${words}: ${err}`)
      if (`${out}${err}`.includes(mark)) telling.push(words)
    }
    expect(misused).toEqual([])
    expect(telling).toEqual([])
  })
})
