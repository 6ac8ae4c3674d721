/** Adds to a shop what authors try: a changed recipe, its shadow, a backtest of it. */

import type { Shop } from './openConsole.ts'

export interface Trials {
  /** A recipe of the flow of sign-ups, in its second version. */
  readonly recipe: string
  readonly shadow: string
  readonly backtest: string
}

interface Content {
  readonly id: string
  readonly version_id: string
  readonly name: string
  readonly rules: readonly { readonly rule_id: string; readonly weight: number }[]
  readonly recipes: readonly string[]
}

const management = '/v2/watch/management'

/** Both recipes run in as many evaluations as are said. */
export async function playTrials<Opened extends Shop>(
  shop: Opened,
  evaluations: number,
): Promise<Opened & Trials> {
  const { send, signupFlow, vigil } = shop
  const read = async (path: string) =>
    (await send('GET', management + path)).body as unknown as Content
  const flow = await read(`/flows/${signupFlow}`)
  const recipe = String(flow.recipes[0])
  const { id: _, version_id: _version, ...content } = await read(`/recipes/${recipe}`)
  const shadow = { ...content, name: `${content.name} (shadow)`, status: 'SHADOW', threshold: 15 }
  const { body } = await send('POST', `${management}/changes`, {
    recipes: [{ content: shadow }],
    flows: [
      { id: signupFlow, content: { name: flow.name, recipes: [...flow.recipes, 'recipes.0'] } },
    ],
  })
  const [added] = body['recipes'] as readonly { readonly id: string }[]
  const nowMs = Date.now()
  for (let index = 0; index < evaluations; index += 1) {
    vigil.setTime(nowMs + index * 1_000)
    await send('POST', '/v2/watch/eval', {
      flow_id: signupFlow,
      target: {
        phone_number: `+3361234${5_000 + index}`,
        email_address: `user${index}40@${index % 3 === 0 ? 'mailinator.com' : 'example.com'}`,
      },
      signals: { ext: { shop_country: index % 4 === 0 ? 'BE' : 'FR' } },
    })
  }
  vigil.setTime(nowMs + evaluations * 1_000)
  const lighter = content.rules.map((member) => ({
    ...member,
    weight: Math.round(member.weight / 2),
  }))
  await send('PUT', `${management}/recipes/${recipe}`, { ...content, rules: lighter })
  const backtest = await runBacktest(shop, recipe)
  return { ...shop, recipe, shadow: String(added?.id), backtest }
}

/** With its end awaited by asking for it. */
async function runBacktest({ send, signupFlow }: Shop, recipe_id: string): Promise<string> {
  const asked = { flow_id: signupFlow, recipe_id, threshold: 30 }
  const { body, text } = await send('POST', `${management}/backtests`, asked)
  if (body['id'] === undefined) throw new Error(text)
  const path = `${management}/backtests/${String(body['id'])}`
  for (let state = body['state']; state === 'RUNNING'; ) {
    state = (await send('GET', path)).body['state']
  }
  return String(body['id'])
}
