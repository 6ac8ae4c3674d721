/** Checks the port in the connection string of a database. */

const portMax = 65_535

export const portMistake = `names a port that cannot be: a port is 1 to ${portMax}.`

/** Whether the `host` or `host:port` has a port that there can be, or none. */
export function hasPort(host: string): boolean {
  const port = /:(?<port>\d+)$/.exec(host)?.groups?.['port']
  return port === undefined || (Number(port) >= 1 && Number(port) <= portMax)
}
