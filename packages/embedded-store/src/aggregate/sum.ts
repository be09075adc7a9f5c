import { nearestDouble } from "../bson/numbers.ts";
import { T } from "../bson/types.ts";
import { double, int32, int64, isNumber, type NumberValue, type Value } from "../bson/value.ts";
import { notSupported } from "../errors.ts";
import type { Accumulator } from "./accumulator.ts";

/**
 * The sum of the numbers in a group, in the widest of their types. Whole numbers are added exactly; with doubles among
 * them, everything is added as MongoDB does, so that the last digits are the same.
 */
export function sum(): Accumulator {
  let whole = 0n;
  let widest: number = T.int32;
  const doubles = new DoubleDouble();
  return {
    add: (value) => {
      if (value === undefined || !isNumber(value)) return;
      if (value.type === T.decimal128) throw notSupported("$sum of decimals");
      doubles.add(value);
      if (value.type !== T.double) whole += BigInt(value.value);
      if (value.type === T.double || (value.type === T.int64 && widest === T.int32)) widest = value.type;
    },
    result: () => (widest === T.double ? double(doubles.value) : wholeNumber(whole, widest === T.int64)),
  };
}

/** The sum of the same number for each document. MongoDB adds a constant double without its correction. */
export function sumOf(constant: NumberValue): () => Accumulator {
  const addend = nearestDouble(constant);
  return () => {
    let count = 0;
    let total = 0;
    return {
      add: () => {
        if (constant.type === T.decimal128) throw notSupported("$sum of decimals");
        count++;
        total += addend;
      },
      result: () => {
        if (constant.type === T.double) return double(total);
        return wholeNumber(BigInt(Number(count)) * BigInt(String(constant.value)), constant.type === T.int64);
      },
    };
  };
}

function wholeNumber(value: bigint, isLong: boolean): Value {
  if (!isLong && value === BigInt.asIntN(32, value)) return int32(Number(value));
  return value === BigInt.asIntN(64, value) ? int64(value) : double(Number(value));
}

const half = 2n ** 32n;

/** A sum as two doubles: the nearest one and the rest. The order of the operations decides the last digit. */
class DoubleDouble {
  #sum = 0;
  #rest = 0;
  // With infinities, the corrections become NaN.
  #plain = 0;

  add(number: NumberValue): void {
    if (number.type !== T.int64) {
      this.#add(nearestDouble(number));
      return;
    }
    const high = (number.value / half) * half;
    this.#add(Number(number.value - high));
    this.#add(Number(high));
  }

  #add(value: number): void {
    this.#plain += value;
    const small = value + this.#rest;
    const lost = this.#rest - (small - value);
    const total = this.#sum + small;
    const before = total - small;
    this.#rest = lost + (this.#sum - before + (small - (total - before)));
    this.#sum = total;
  }

  get value(): number {
    return Number.isNaN(this.#sum) ? this.#plain : this.#sum;
  }
}
