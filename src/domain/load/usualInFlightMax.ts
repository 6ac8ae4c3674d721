/** Sets the default limit of requests in progress for a process. */
export const usualInFlightMax = 512
