/**
 * What a team would build in place of the service: Koa, the rules as plain JavaScript, and a row for each evaluation,
 * committed before it is answered.
 */

import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { answerMessages } from './childProcess.ts'
import { type EvalBody, personIn } from './evalBody.ts'
import { handWritten } from './handWritten.ts'
import { koaServer } from './koaServer.ts'
import { evidenceOf, planOf } from './plan.ts'
import { insertEvaluation } from './postgresTable.ts'
import { sixtyRules } from './sixtyRules.ts'

export interface PostgresOrder {
  readonly token: string
  readonly url: string
  /** Connections to the database; a request waits for one. */
  readonly pool: number
}

answerMessages<PostgresOrder, number>(serve)

async function serve({ token, url, pool: max }: PostgresOrder): Promise<number> {
  const run = handWritten(sixtyRules, planOf(sixtyRules))
  const pool = new pg.Pool({ connectionString: url, max })
  return await koaServer(token, async (ctx) => {
    const asked = ctx.request.body as EvalBody
    const { verdict, recipes } = run(evidenceOf(personIn(asked)))
    const id = randomUUID()
    const answer = JSON.stringify({ id, verdict, recipes })
    await pool.query({ ...insertEvaluation, values: [id, JSON.stringify(asked), answer] })
    ctx.body = answer
  })
}
