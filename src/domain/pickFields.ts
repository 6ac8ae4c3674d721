/** Objects cut to the members of a type. */

/** Every member of a type by name: one that is added to the type must be named. */
export type FieldsOf<Type> = Readonly<Record<keyof Type, true>>

/**
 * Makes the function that cuts an object to these members, in this order; what is absent or undefined stays away, and so does whatever
 * else the object has.
 */
export function pickFields<Type extends object>(fields: FieldsOf<Type>): (from: Type) => Type {
  const names = Object.keys(fields) as (keyof Type)[]
  return (from) => {
    const picked: Partial<Type> = {}
    for (const name of names) if (from[name] !== undefined) picked[name] = from[name]
    return picked as Type
  }
}
