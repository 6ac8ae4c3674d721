/** A stretch of network before the MongoDB in MONGODB_URL, which can fail; for one that is not a cluster. */

import { onTestFinished } from 'vitest'
import { startTcpProxy, type TcpProxy } from '../support/tcpProxy.ts'
import { mongoUrl } from './newDatabase.ts'

/** The connection string of the same database through it. */
export async function proxyTo(url: string): Promise<readonly [TcpProxy, string]> {
  const { host, port } =
    /\/\/(?:[^@/]*@)?(?<host>[^:/,?]+):?(?<port>\d*)/.exec(mongoUrl)?.groups ?? {}
  const proxy = await startTcpProxy({ port: Number(port || 27_017), host: host ?? '' })
  onTestFinished(proxy.close)
  const through = url.replace(/(?<=\/\/(?:[^@/]*@)?)[^@/]+(?=\/)/, `127.0.0.1:${proxy.port}`)
  return [proxy, `${through}${through.includes('?') ? '&' : '?'}directConnection=true`]
}
