/** Declares the stream types of sender IDs and templates. */

import {
  evolveSenderIds,
  type SenderIdEvent,
  type SenderIdState,
} from '../../events/verification/senderId.ts'
import {
  evolveTemplates,
  type TemplateEvent,
  type TemplatesState,
} from '../../events/verification/template.ts'
import type { StreamType } from '../folding/streamType.ts'

/** About what a sender ID takes, beside the text of its reason. */
const senderIdBytes = 200

export const senderIdStreamType: StreamType<SenderIdState, SenderIdEvent> = {
  initial: () => new Map(),
  evolve: evolveSenderIds,
  estimateBytes: (state) => {
    let bytes = 0
    for (const { reason = '' } of state.values()) bytes += senderIdBytes + reason.length * 2
    return bytes
  },
}

/** About what a template takes, beside the texts of its name and suffix. */
const templateBytes = 400

export const templateStreamType: StreamType<TemplatesState, TemplateEvent> = {
  initial: () => new Map(),
  evolve: evolveTemplates,
  estimateBytes: (state) => {
    let bytes = 0
    for (const { name, suffix = '' } of state.values()) {
      bytes += templateBytes + (name.length + suffix.length) * 2
    }
    return bytes
  },
}
