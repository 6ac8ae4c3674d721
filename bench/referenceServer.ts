/** What the service is compared with: a plain Koa server that answers the very same bytes, from memory or stringified each time. */

import { answerMessages } from './childProcess.ts'
import { koaServer } from './koaServer.ts'

export interface ReferenceOrder {
  readonly token: string
  readonly body: Buffer
  /** Whether the answer is made into text for each request, as without a record it would have to be; else it is sent as it is. */
  readonly stringifies?: boolean
}

answerMessages<ReferenceOrder, number>(serve)

function serve({ token, body, stringifies = false }: ReferenceOrder): Promise<number> {
  const text = body.toString()
  const answer: unknown = stringifies ? JSON.parse(text) : text
  return koaServer(token, (ctx) => {
    ctx.body = answer
  })
}
