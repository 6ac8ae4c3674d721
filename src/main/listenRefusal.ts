/** Explains why the process cannot listen (`EADDRINUSE`, `EACCES`, …) in terms of HOST and PORT. */

interface Place {
  readonly host: string
  readonly port: number
}

const usableHosts =
  'Set HOST to an address of this machine: 127.0.0.1 for this machine alone, 0.0.0.0 for all of its addresses'

/** By the code of the system. */
const sentences: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} on HOST ${host} is in use by another process. Stop that one, or set PORT to a port that is free.`,
  EACCES: ({ host, port }) =>
    `PORT ${port} on HOST ${host} is not allowed to this user. Set PORT to 1024 or above, or let the process bind such a port (CAP_NET_BIND_SERVICE).`,
  EADDRNOTAVAIL: noAddress,
  EAFNOSUPPORT: noAddress,
  EINVAL: noAddress,
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
}

function noAddress({ host }: Place): string {
  return `HOST ${host} is no address of this machine. ${usableHosts}.`
}

function noName({ host }: Place): string {
  return `HOST ${host} is a name that leads to no address. ${usableHosts}.`
}

/** Maps an error of `listen` to an `Error` with advice; an unknown error is returned as it is. */
export function listenRefusal(error: unknown, place: Place): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const sentence = sentences[code]
  return sentence ? new Error(sentence(place), { cause: error }) : error
}
