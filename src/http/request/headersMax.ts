/** How many headers a request may have, each line of them counted. */
export const headersMax = 100
