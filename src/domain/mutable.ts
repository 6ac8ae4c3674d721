/**
 * A value whose fields may still be set, for whoever makes it field by field: an object put together by spreading others takes several
 * times as long, which counts where one is made for every request.
 */
export type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }
