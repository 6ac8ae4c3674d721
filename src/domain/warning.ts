/** Lists the codes of warnings on saved rules, recipes and flows that are probably mistakes. */

export const warningCodes = [
  'rule_always_triggers',
  'rule_never_triggers',
  'impossible_text',
  'private_network',
  'recipe_always_flags',
  'recipe_never_flags',
  'flow_without_live_recipe',
  'duplicate_name',
] as const

/** One warning; `path` is the dotted path in the saved object. Unlike a failure it does not prevent the save. */
export interface Warning {
  readonly code: (typeof warningCodes)[number]
  readonly message: string
  readonly path: string
}
