/** Runs one read of a stream at a time, and shares it among all concurrent callers. */

export interface Readings<Value> {
  /** What the reading under way finds, or one that begins now. */
  readonly any: (stream: string) => Promise<Value>
  /** What a reading finds that begins after this call; all who call while another one is under way share it. */
  readonly next: (stream: string) => Promise<Value>
  /** An event of the stream has come that the reading under way, if there is one, may have looked for too early. */
  readonly missed: (stream: string) => void
}

interface Reading<Value> {
  readonly value: Promise<Value>
  next: Promise<Value> | undefined
  missed: boolean
}

/** `read` reads a stream; `isMissed` tells it, once for each missed event, whether it has to read again. */
export function openReadings<Value>(
  read: (stream: string, isMissed: () => boolean) => Promise<Value>,
): Readings<Value> {
  const underWay = new Map<string, Reading<Value>>()

  const begin = (stream: string): Promise<Value> => {
    const isMissed = (): boolean => {
      const { missed } = reading
      reading.missed = false
      return missed
    }
    // after this turn, so that whatever the reading calls finds it under way
    const value = Promise.resolve()
      .then(() => read(stream, isMissed))
      .finally(() => underWay.delete(stream))
    const reading: Reading<Value> = { value, next: undefined, missed: false }
    underWay.set(stream, reading)
    return value
  }

  const any = (stream: string): Promise<Value> => underWay.get(stream)?.value ?? begin(stream)

  return {
    any,
    next: (stream) => {
      const reading = underWay.get(stream)
      if (!reading) return begin(stream)
      // whatever is under way once this one has ended began after this call
      reading.next ??= reading.value.then(
        () => any(stream),
        () => any(stream),
      )
      return reading.next
    },
    missed: (stream) => {
      const reading = underWay.get(stream)
      if (reading) reading.missed = true
    },
  }
}
