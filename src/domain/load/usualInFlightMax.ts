/** Requests in progress at once in a process that is told no other number. */
export const usualInFlightMax = 512
