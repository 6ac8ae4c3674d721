/** A bounded set of texts: when it is full the older half is forgotten, which costs less a text than forgetting one by one. */

export interface Remembered {
  readonly has: (text: string) => boolean
  readonly add: (text: string) => void
  readonly clear: () => void
}

/** Remembers at least the last `max / 2` texts added and at most `max`. */
export function remembered(max: number): Remembered {
  let young = new Set<string>()
  let old = new Set<string>()
  return {
    has: (text) => young.has(text) || old.has(text),
    add: (text) => {
      young.add(text)
      if (young.size < max / 2) return
      old = young
      young = new Set()
    },
    clear: () => {
      young = new Set()
      old = new Set()
    },
  }
}
