/** Lists the resources that arguments can name instead of their id: noun and API path. */

export const nouns = ['rule', 'recipe', 'flow', 'list', 'template'] as const
export type Noun = (typeof nouns)[number]

/** A list of the API that has its entries under the plural of the noun. */
export interface NamedResource {
  readonly noun: Noun
  readonly path: string
}

export const namedResources = {
  lists: { noun: 'list', path: '/v2/watch/management/lists' },
  rules: { noun: 'rule', path: '/v2/watch/management/rules' },
  recipes: { noun: 'recipe', path: '/v2/watch/management/recipes' },
  flows: { noun: 'flow', path: '/v2/watch/management/flows' },
} as const
