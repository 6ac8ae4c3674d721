/** Declares the roles of an instance (`VIGIL_ROLE`): `api`, `projector` or `all`. */

/** `api` answers requests, `projector` runs the projections, `all` does both. */
export const roles = ['all', 'api', 'projector'] as const

export type Role = (typeof roles)[number]
