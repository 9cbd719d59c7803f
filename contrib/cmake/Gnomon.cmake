# gnomon_check(TARGET [TIME seconds] [ARGS ...]): a target gnomon-TARGET that checks the program TARGET with the
# definitions and include directories that it is compiled with, and a test of that name. An error fails; what is not known does not.
find_program(GNOMON_PROGRAM gnomon)

function(gnomon_check target)
    cmake_parse_arguments(G "" "TIME" "ARGS" ${ARGN})
    if(NOT G_TIME)
        set(G_TIME 60)
    endif()
    get_target_property(sources ${target} SOURCES)
    get_target_property(directory ${target} SOURCE_DIR)
    set(files "")
    foreach(source IN LISTS sources)
        if(source MATCHES "\\.[ci]$")
            get_filename_component(file "${source}" ABSOLUTE BASE_DIR "${directory}")
            list(APPEND files "${file}")
        endif()
    endforeach()
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    # Not by way of a variable: the semicolons of generator expressions would split it.
    add_custom_target(gnomon-${target} VERBATIM COMMAND_EXPAND_LISTS
        COMMAND "${GNOMON_PROGRAM}" check --time ${G_TIME} ${G_ARGS}
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            ${files})
    add_test(NAME gnomon-${target} COMMAND_EXPAND_LISTS
        COMMAND "${GNOMON_PROGRAM}" check --time ${G_TIME} ${G_ARGS}
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            ${files})
    # Exit code 3 says that nothing is known.
    set_tests_properties(gnomon-${target} PROPERTIES SKIP_RETURN_CODE 3)
endfunction()
