import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type EventPlace, openRecentStreams } from '../../../src/stores/embedded/logReader.ts'

const streamName = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('write' as const), stream: streamName, gap: fc.nat(2) }),
    fc.record({ kind: fc.constant('ask' as const), stream: streamName, back: fc.nat(20) }),
  ),
  { maxLength: 120 },
)

test('given any log and questions, when a stream is said to be quiet, then nothing has come to it', () => {
  fc.assert(
    fc.property(steps, (taken) => {
      const log: EventPlace[] = []
      let end = 0
      const recent = openRecentStreams({
        read: (after, last) => log.filter(([position]) => position > after && position <= last),
        stretchMax: 3,
        stepMax: 8,
      })

      for (const step of taken) {
        if (step.kind === 'write') {
          // positions are not dense
          end += 1 + step.gap
          log.push([end, step.stream])
          continue
        }
        const known = Math.max(0, end - step.back)
        const isQuiet = recent.isQuiet(step.stream, known, end)
        const news = log.some(([position, stream]) => position > known && stream === step.stream)
        expect(isQuiet && news).toBe(false)
      }
    }),
  )
})

test('given many streams that are asked in turn while others are written, then each event is read once', () => {
  let read = 0
  const recent = openRecentStreams({
    read: (after, end) => {
      read += end - after
      return Array.from({ length: end - after }, (_, at): EventPlace => [after + at + 1, 'written'])
    },
  })
  recent.isQuiet('asked 0', 0, 0)

  const quiet = Array.from({ length: 1_000 }, (_, at) =>
    recent.isQuiet(`asked ${at}`, Math.max(0, at - 60), at),
  )

  expect(quiet).not.toContain(false)
  expect(read).toBe(999)
})

test('given more than is looked at, then the stream is to be asked itself', () => {
  const recent = openRecentStreams({ read: () => [] })

  expect(recent.isQuiet('a', 5_000, 10_000)).toBe(false)
  expect(recent.isQuiet('a', 10_000, 10_050)).toBe(true)
})
