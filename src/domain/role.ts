/** Which part of the work an instance takes, of several on the same stores. */

/** `api` answers requests, `projector` runs the projections, `all` does both. */
export const roles = ['all', 'api', 'projector'] as const

export type Role = (typeof roles)[number]
