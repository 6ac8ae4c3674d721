import fc from 'fast-check'
import { expect, test } from 'vitest'
import { frameOf, frameReader } from '../../src/domain/lineFrames.ts'

const frames = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 12 })

test('given a stream of frames, when it comes cut anywhere, then each frame is handed out whole, once, in order', () => {
  fc.assert(
    fc.property(frames, fc.array(fc.nat(600)), (contents, cuts) => {
      const taken: number[][] = []
      const read = frameReader((frame) => taken.push([...frame]))
      const stream = Buffer.concat(contents.map((bytes) => frameOf(Buffer.from(bytes))))

      for (const piece of cutAt(stream, cuts)) read(piece)

      expect(taken).toEqual(contents.map((bytes) => [...bytes]))
    }),
  )
})

test('given a frame of which the last byte has not come, then it is not handed out, and is once that has', () => {
  fc.assert(
    fc.property(frames, fc.uint8Array({ maxLength: 40 }), (before, last) => {
      let taken = 0
      const read = frameReader(() => {
        taken += 1
      })
      const stream = Buffer.concat([...before, last].map((bytes) => frameOf(Buffer.from(bytes))))

      read(stream.subarray(0, -1))
      expect(taken).toBe(before.length)
      read(stream.subarray(-1))

      expect(taken).toBe(before.length + 1)
    }),
  )
})

function cutAt(stream: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.filter((cut) => cut < stream.length), stream.length]
  places.sort((one, other) => one - other)
  return places.slice(1).map((end, index) => stream.subarray(places[index], end))
}
