/** What attacks have in common: a rulebook made through the API, and evaluations of its flows. */

import type { Answer, Attacker } from './attacker.ts'

const management = '/v2/watch/management'
const membersMax = 500

/** Creates it; undefined when the service refuses it, which is for the service to do. */
export async function create(
  attacker: Attacker,
  kind: 'rules' | 'recipes' | 'flows',
  body: object,
): Promise<string | undefined> {
  const path = `${management}/${kind}`
  const { status, text } = await attacker.send({ method: 'POST', path, body })
  return status === 200 || status === 201 ? idIn(text) : undefined
}

/** A live recipe of rules that have these texts, those left out that are refused; undefined without any. */
export async function createRecipe(
  attacker: Attacker,
  expressions: readonly string[],
): Promise<string | undefined> {
  const rules: { readonly rule_id: string; readonly weight: number }[] = []
  for (const [index, expression] of expressions.slice(0, membersMax).entries()) {
    const rule_id = await create(attacker, 'rules', { name: `Rule ${index}`, expression })
    if (rule_id !== undefined) rules.push({ rule_id, weight: 1 })
  }
  return createRecipeOf(attacker, rules)
}

/** A live recipe of these rules; undefined when there are none, or it is refused. */
export async function createRecipeOf(
  attacker: Attacker,
  rules: readonly { readonly rule_id: string; readonly weight: number }[],
): Promise<string | undefined> {
  if (rules.length === 0) return undefined
  return create(attacker, 'recipes', { name: 'Recipe', status: 'LIVE', threshold: 50, rules })
}

/** A flow of one such recipe; undefined when nothing of it is let through. */
export async function createFlow(
  attacker: Attacker,
  expressions: readonly string[],
): Promise<string | undefined> {
  const recipe = await createRecipe(attacker, expressions)
  if (recipe === undefined) return undefined
  return create(attacker, 'flows', { name: 'Flow', recipes: [recipe] })
}

/** Another text for a rule. */
export function change(attacker: Attacker, rule: string, expression: string): Promise<Answer> {
  const body = { name: 'Rule', expression }
  return attacker.send({ method: 'PUT', path: `${management}/rules/${rule}`, body })
}

/** Evaluates the flow with these values; answers the evaluation's id, undefined when it was refused. */
export async function evaluate(
  attacker: Attacker,
  flow_id: string,
  ext: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const { status, text } = await attacker.send({
    method: 'POST',
    path: '/v2/watch/eval',
    body: { flow_id, target: { phone_number: '+33612345678' }, signals: { ext } },
  })
  return status === 200 ? idIn(text) : undefined
}

/** A rule of about so many characters, another one for each number. */
export function longRule(number: number, chars: number): string {
  const parts = [`int(signal.ext.n) == ${number}`]
  let length = parts[0]?.length ?? 0
  for (let at = 0; ; at += 1) {
    const part = `signal.ext.cart == "c${number}-${at}"`
    length += part.length + 4
    if (length > chars) return parts.join(' || ')
    parts.push(part)
  }
}

function idIn(text: string): string {
  return String((JSON.parse(text) as { readonly id: unknown }).id)
}
