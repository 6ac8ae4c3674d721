/** Sets the default limit of requests in progress for a process (`VIGIL_MAX_IN_FLIGHT`). */
export const usualInFlightMax = 512
