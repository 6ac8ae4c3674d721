/** The three kinds of resources that authors keep, in the order in which one can refer to another. */

export const kinds = ['rules', 'recipes', 'flows'] as const

export type Kind = (typeof kinds)[number]

export interface KindFacts {
  readonly noun: string
  readonly prefix: string
  /** Its collection in the API. */
  readonly path: string
}

export const kindFacts: Readonly<Record<Kind, KindFacts>> = {
  rules: { noun: 'rule', prefix: 'rul', path: '/v2/watch/management/rules' },
  recipes: { noun: 'recipe', prefix: 'rcp', path: '/v2/watch/management/recipes' },
  flows: { noun: 'flow', prefix: 'flo', path: '/v2/watch/management/flows' },
}

/** Whether the text has the form of an id; a slug never has. */
export function isIdOf(kind: Kind, text: string): boolean {
  return text.startsWith(`${kindFacts[kind].prefix}_`) && /^[0-9a-z_]{5,128}$/.test(text)
}
