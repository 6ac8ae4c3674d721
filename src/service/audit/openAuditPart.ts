/** Opens the audit's part of the service. */

import { isoTime } from '../../domain/isoTime.ts'
import { decode } from '../../events/catalogue.ts'
import { type LossEvent, lossStream } from '../../events/operations/loss.ts'
import type { DecodedEvent } from '../../events/recording/event.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import type { AuditPart, LossView } from './auditPart.ts'
import { openErasures } from './erasePerson.ts'
import { openRetention } from './retention.ts'

const pageMax = 1_000

export function openAuditPart(context: ServiceContext): AuditPart {
  return {
    listLosses: openListLosses(context),
    erasures: openErasures(context),
    retention: openRetention(context),
  }
}

/** All of them. Throws `unavailable` when the log cannot be read. */
function openListLosses({ events }: Pick<ServiceContext, 'events'>): AuditPart['listLosses'] {
  return async () => {
    const losses: LossView[] = []
    for (;;) {
      const page = await events.readStream(lossStream, { from: losses.length, limit: pageMax })
      losses.push(...page.map((recorded) => viewOf(decode(recorded) as DecodedEvent<LossEvent>)))
      if (page.length < pageMax) return losses
    }
  }
}

function viewOf({ event, metadata, position }: DecodedEvent<LossEvent>): LossView {
  const common = { accepted_at: isoTime(metadata.time), position: String(position) }
  if (event.type === 'KeyLossAccepted')
    return { lost: 'keys', ...common, reason: event.data.reason }
  const { kept_position, missing } = event.data
  return {
    lost: 'events',
    ...common,
    kept_position: String(kept_position),
    ...(missing && {
      first_position: String(missing.first),
      last_position: String(missing.last),
    }),
  }
}
