/** Names the kinds of resource that an account's configuration has. */

/** In the order in which they are answered. */
export const resourceKinds = [
  'rule',
  'recipe',
  'flow',
  'list',
  'account',
  'token',
  'sdk_key',
  'application',
  'sender_id',
  'template',
  'retention',
  'entry',
] as const

export type ResourceKind = (typeof resourceKinds)[number]
