/** Wraps a store so that the errors of its functions are reported before they are thrown. */

/** The same store; `onError` is called with what one of these functions rejects with. */
export function withErrorReporting<Store extends object>(
  store: Store,
  names: readonly (keyof Store)[],
  onError: (error: unknown) => void,
): Store {
  const reporting = names.map((name) => {
    const call = store[name] as (...args: readonly unknown[]) => Promise<unknown>
    const callAndReport = (...args: readonly unknown[]) =>
      call(...args).catch((error: unknown) => {
        onError(error)
        throw error
      })
    return [name, callAndReport]
  })
  return { ...store, ...Object.fromEntries(reporting) }
}
