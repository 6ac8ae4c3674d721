/** A client that has taken too long to send what it began, under the code that Node gives it, too. */
export class TooSlow extends Error {
  readonly code = 'ERR_HTTP_REQUEST_TIMEOUT'
}
