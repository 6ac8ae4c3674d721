/** Lends the stores that this process has open to another process of the service. */

import type { ProcessLine } from '../../domain/processLine.ts'
import {
  type ProjectionNews,
  tellProjectionNews,
} from '../../projections/running/joinedProjections.ts'
import type { SharedProjections } from '../../projections/running/projections.ts'
import { type LentStores, storeAnswers, tellLogNews } from '../../stores/embedded/serveStores.ts'
import type { Installation } from './installation.ts'

/** What a process that joins is told first. */
export type LentSecrets = Pick<Installation, 'masterKey' | 'operatorTokenHash'>

export interface Lent extends LentStores {
  readonly secrets: LentSecrets
  readonly projections: SharedProjections
}

/** Answers whatever the other end of the line asks of the stores, and tells it how they are once it has joined, until the line ends. */
export function lendStores({ secrets, projections, ...stores }: Lent, line: ProcessLine): void {
  // not the operator's token, should it be new: it is kept nowhere
  const { masterKey, operatorTokenHash } = secrets
  const over = new AbortController()
  void line.ended.then(() => over.abort())
  const join = (): LentSecrets => {
    void tellLogNews(stores, line, over.signal)
    const tell = (news: ProjectionNews): void => {
      if (!line.isFull()) line.tell('projections', news)
    }
    tellProjectionNews(projections, tell, over.signal)
    return { masterKey, operatorTokenHash }
  }
  line.serve({
    answers: {
      ...storeAnswers(stores),
      join,
      retryParked: (projection: string) => projections.retryParked(projection),
    },
    hears: { hurry: projections.hurry },
  })
}
