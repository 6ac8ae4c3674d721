/** A program that knows the service only by the client generated from its description. */

/** What the program saw. */
export interface Used {
  readonly verdict: string
  readonly outcomes: readonly string[]
  readonly reads: readonly string[]
  readonly leaves: readonly string[]
  readonly refused: readonly string[]
  readonly unknown: string
  readonly gone: number
}

export const clientProgram = `
import * as api from './client.ts'

export async function useClient(baseUrl: string, token: string) {
  api.defaults.baseUrl = baseUrl
  api.defaults.headers = { authorization: \`Bearer \${token}\` }
  const rule = await api.createRule({ name: 'Large', expression: 'double(signal.ext.cart) > 100.0' })
  if (rule.status !== 201) throw new Error(rule.data.message)
  const content: api.RecipeInput = {
    name: 'Checkout',
    status: 'LIVE',
    threshold: 50,
    rules: [{ rule_id: rule.data.id, weight: 60 }],
  }
  const recipe = await api.createRecipe(content)
  if (recipe.status !== 201) throw new Error(recipe.data.message)
  const flow = await api.createFlow({ name: 'Checkout', recipes: [recipe.data.id] })
  if (flow.status !== 201) throw new Error(flow.data.message)

  const asked: api.EvaluateRequest = {
    flow_id: flow.data.id,
    target: { phone_number: '+33612345678' },
    signals: { ext: { cart: '900' } },
  }
  const evaluated = await api.evaluateFlow(asked, { idempotencyKey: 'order-1' })
  if (evaluated.status !== 200) throw new Error(evaluated.data.code)
  const verdict: 'PASS' | 'FLAG' = evaluated.data.verdict
  const outcomes = evaluated.data.recipes.flatMap(({ rules }) => rules.map((one) => one.outcome))

  const record = await api.getEvaluation(evaluated.data.id, { explain: 'expressions' })
  if (record.status !== 200) throw new Error(record.data.message)
  const { explanation } = record.data
  if ('forgotten' in explanation) throw new Error('it was forgotten')
  const explained = explanation.flatMap(({ rules }) => rules)
  const reads = explained.flatMap((one) => one.reads ?? []).map(({ name }) => name)
  const leaves = explained.flatMap(({ parts }) =>
    parts && 'text' in parts ? leavesOf(parts) : [],
  )

  const wrong = await api.evaluateFlow({ ...asked, target: { phone_number: 'x' } })
  const refused = wrong.status === 400 ? (wrong.data.details ?? []).map(({ path }) => path) : []
  const list = await api.listEvaluations({ limit: 5 })
  const unknown = await fetch(\`\${baseUrl}/v2/watch/evaluations?weight=1\`, {
    headers: { authorization: \`Bearer \${token}\` },
  })
  const { details } = (await unknown.json()) as api.Error
  await api.deleteFlow(flow.data.id)
  const gone = await api.getFlow(flow.data.id)
  if (list.status !== 200) throw new Error(list.data.message)
  return { verdict, outcomes, reads, leaves, refused, unknown: details?.[0]?.message, gone: gone.status }
}

function leavesOf({ text, parts = [] }: api.ExpressionPart): string[] {
  return parts.length === 0 ? [text] : parts.flatMap(leavesOf)
}
`

/** What, a statement, and what the compiler says of it. */
export const wrongUses: readonly (readonly [string, string, string])[] = [
  ['leaves out a field', "void api.createRule({ name: 'n' })", "'expression' is missing"],
  ['mistypes a field', "void api.createRule({ name: 'n', expresion: 'true' })", "'expresion'"],
  [
    'has a target of nobody',
    "void api.evaluateFlow({ flow_id: 'f', target: {} })",
    'is not assignable to type',
  ],
  [
    'asks for an explanation that there is not',
    "void api.getEvaluation('e', { explain: 'all' })",
    'is not assignable to type',
  ],
  ['leaves out a parameter that is needed', "void api.compareRecipes('r')", 'arguments, but got 1'],
  [
    'reads what an answer does not have',
    "void api.getRule('r').then((rule) => rule.status === 200 && rule.data.weight)",
    "'weight' does not exist",
  ],
]
