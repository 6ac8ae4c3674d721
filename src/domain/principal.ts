/** Who calls, and what they may do. */

/** The scopes an API token can carry. */
export const scopes = [
  'eval',
  'feedback',
  'manage',
  'author',
  'analyse',
  'audit',
  'operate',
] as const

export type Scope = (typeof scopes)[number]

/** The holder of an API token of one account. */
export interface AccountPrincipal {
  readonly kind: 'account'
  readonly accountId: string
  readonly tokenId: string
  readonly scopes: readonly Scope[]
}

/** The operator of the installation. */
export interface OperatorPrincipal {
  readonly kind: 'operator'
}

export type Principal = AccountPrincipal | OperatorPrincipal
