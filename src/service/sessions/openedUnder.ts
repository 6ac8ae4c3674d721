/** What was opened with secrets, kept for as long as the secrets are: whoever's key is destroyed is gone with it. */

export interface OpenedUnder<Value> {
  readonly get: (secret: Uint8Array, name: string) => Value | undefined
  /** Keeps it, which takes so many characters. */
  readonly set: (secret: Uint8Array, named: Named<Value>, chars: number) => void
}

interface Named<Value> {
  readonly name: string
  readonly value: Value
}

/**
 * Keeps about `charsMax` characters at the most: what was not asked for since half as many came goes. A value is found only by the very
 * secret that opened it, as the keyring hands it out, and nothing here keeps a secret: the keyring forgets those that are destroyed.
 */
export function openedUnder<Value>(charsMax: number): OpenedUnder<Value> {
  type Kept = WeakMap<Uint8Array, Map<string, { readonly value: Value; readonly chars: number }>>
  let recent: Kept = new WeakMap()
  let before: Kept = new WeakMap()
  let recentChars = 0

  const keep = (secret: Uint8Array, { name, value }: Named<Value>, chars: number): void => {
    if (recentChars + chars > charsMax / 2) {
      before = recent
      recent = new WeakMap()
      recentChars = 0
    }
    const named = recent.get(secret) ?? new Map()
    recent.set(secret, named.set(name, { value, chars }))
    recentChars += chars
  }

  return {
    get: (secret, name) => {
      const found = recent.get(secret)?.get(name)
      if (found) return found.value
      const older = before.get(secret)?.get(name)
      if (older) keep(secret, { name, value: older.value }, older.chars)
      return older?.value
    },
    set: keep,
  }
}
