import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeEventChecksum } from '../../../src/stores/embedded/logWriter.ts'
import type { RecordedEvent } from '../../../src/stores/eventStore.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 300 })
/** Half of a pair of code units, which no text should have and any may. */
const brokenText = fc.constantFrom('\ud83d', '\ude00a', 'é\ud800ü')
const repeats = fc.integer({ min: 1, max: 200 })
const field = fc
  .tuple(fc.oneof(anyText, brokenText), repeats)
  .map(([text, times]) => text.repeat(times))
const event: fc.Arbitrary<RecordedEvent> = fc.record({
  position: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  revision: fc.nat(),
  stream: anyText,
  id: fc.uuid(),
  type: anyText,
  data: field,
  metadata: field,
})

test('given any event, small or large, then its checksum is the CRC-32 of its fields, a line each', () => {
  fc.assert(
    fc.property(event, (one) => {
      const { position, revision, stream, id, type, data, metadata } = one
      const lines = [position, revision, stream, id, type, data, metadata].join('\n')

      expect(computeEventChecksum(one)).toBe(crc32(lines))
    }),
  )
})
