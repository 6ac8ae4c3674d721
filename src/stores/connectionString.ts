/** Validates the ports and percent-encoding of database connection strings. */

const portMax = 65_535

export const portProblem = `names a port that cannot be: a port is 1 to ${portMax}.`

/** Whether the `host` or `host:port` has a valid port, or none. */
export function hasValidPort(host: string): boolean {
  const port = /:(?<port>\d+)$/.exec(host)?.groups?.['port']
  return port === undefined || (Number(port) >= 1 && Number(port) <= portMax)
}

/** Whether the text is percent-encoded correctly, or absent. */
export function isDecodable(text = ''): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
