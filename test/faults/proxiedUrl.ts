/** Connection strings that lead through a proxy of the test. */

import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts'

export interface Proxied {
  readonly url: string
  /**
   * Undefined where there can be none: several hosts find one another by themselves, and a certificate names its host.
   */
  readonly proxy: TcpProxy | undefined
}

const pattern = /^((?:esdb|mongodb):\/\/(?:[^@/]*@)?)([^:,/?@]+)(?::(\d+))?([/?].*)?$/
const defaultPorts: Readonly<Record<string, number>> = { esdb: 2113, mongodb: 27_017 }

/** The same server, through a proxy of its own. */
export async function proxiedUrl(url: string): Promise<Proxied> {
  const [, head = '', host = '', port, rest = ''] = pattern.exec(url) ?? []
  const scheme = head.split(':')[0] ?? ''
  const isSecured =
    scheme === 'esdb' ? !/[?&]tls=false/i.test(rest) : /[?&](tls|ssl)=true/i.test(rest)
  if (host === '' || isSecured || /replicaSet=/i.test(rest)) return { url, proxy: undefined }
  const target = { host, port: port === undefined ? (defaultPorts[scheme] ?? 0) : Number(port) }
  const proxy = await startTcpProxy(target)
  return { url: `${head}127.0.0.1:${proxy.port}${rest}`, proxy }
}
