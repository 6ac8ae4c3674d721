/** What ends a request whose client left before its turn came: nobody is answered, and nothing has failed. */

/** One for all of them: nobody looks into it, and clients that leave by the thousand are not to cost a stack each. */
export const clientLeft = new Error('The client left before its turn came.')

/** How it is counted and logged in place of an answer: as the proxies of the field do. */
export const clientLeftStatus = 499
export const clientLeftCode = 'client_closed_request'
