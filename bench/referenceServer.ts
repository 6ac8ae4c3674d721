/** What the service is compared with: a plain Koa server that answers the very same bytes, stringified each time. */

import { answerMessages } from './childProcess.ts'
import { koaServer } from './koaServer.ts'

export interface ReferenceOrder {
  readonly token: string
  readonly body: Buffer
}

answerMessages<ReferenceOrder, number>(serve)

function serve({ token, body }: ReferenceOrder): Promise<number> {
  const answer: unknown = JSON.parse(body.toString())
  return koaServer(token, (ctx) => {
    ctx.body = answer
  })
}
