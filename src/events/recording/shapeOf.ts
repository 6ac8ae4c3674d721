/** Maps types of recorded values to the form in which the compiler compares schemas with them. */

/** A field that may be absent. */
export interface Optional<Shape> {
  readonly mayBeAbsent: Shape
}

/**
 * The shape of a value. It marks every field that may be absent, since two types that differ in an optional field alone are assignable to
 * one another.
 */
export type ShapeOf<Value> = Value extends readonly unknown[]
  ? { readonly [Index in keyof Value]: ShapeOf<Value[Index]> }
  : Value extends object
    ? { readonly [Name in keyof Value]-?: MemberShape<Value, Name> }
    : Value

type MemberShape<Value, Name extends keyof Value> =
  Record<never, never> extends Pick<Value, Name>
    ? Optional<ShapeOf<Exclude<Value[Name], undefined>>>
    : ShapeOf<Value[Name]>
