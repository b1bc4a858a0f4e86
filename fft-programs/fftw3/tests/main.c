/* Tests every family of functions of a precision by definition. */
#include "oracle.h"

int main(void) {
    test_complex();
    test_real();
    test_process();
    test_fortran();
    printf("%d passed, %d failed\n", checks - failures, failures);
    return failures > 0;
}
